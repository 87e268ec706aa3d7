"""Scores of methods from CSV files: what they mean, and what is wrong with them."""

from __future__ import annotations

import gzip

import pytest

from boxlens.errors import InputError
from boxlens.formats.method_scores import Setting, read_method_scores


def scores_in(tmp_path, text):
    path = tmp_path / "scores.csv"
    path.write_text(text, encoding="utf-8")
    return read_method_scores(path)


def refused(tmp_path, text):
    with pytest.raises(InputError) as caught:
        scores_in(tmp_path, text)
    assert str(tmp_path / "scores.csv") in str(caught.value)
    assert caught.value.remedy
    return str(caught.value)


def test_a_method_a_line(tmp_path):
    found = scores_in(tmp_path, "method,mAP\nBing,0.412\nSelective Search,0.6\n")
    assert found.overall == {Setting("", "Bing"): 0.412, Setting("", "Selective Search"): 0.6}
    assert found.by_class == {}
    assert found.metric == "mAP"
    assert found.source.path == tmp_path / "scores.csv"
    assert found.notices == ()


def test_detectors_and_classes_are_columns_in_any_order_and_case(tmp_path):
    text = (
        "Class,AP,Detector,METHOD,remark\n,0.5,rcnn,bing,\ndog,0.4,rcnn,bing,x\n,.7,other,bing,\n"
    )
    found = scores_in(tmp_path, text)
    bing = Setting("rcnn", "bing")
    assert found.overall == {bing: 0.5, Setting("other", "bing"): 0.7}
    assert found.by_class == {bing: {"dog": 0.4}}


def test_spaces_are_no_part_of_names(tmp_path):
    found = scores_in(tmp_path, "method , mAP\n bing , 0.5 \n")
    assert found.overall == {Setting("", "bing"): 0.5}


def test_without_a_line_of_all_classes_map_is_their_mean_and_said_so(tmp_path):
    text = "method,class,ap\nbing,dog,0.4\nbing,cat,0.2\nmcg,dog,0.9\nmcg,,0.8\n"
    found = scores_in(tmp_path, text)
    assert found.overall[Setting("", "bing")] == pytest.approx(0.3)
    assert found.overall[Setting("", "mcg")] == 0.8
    assert [(one.code, one.count) for one in found.notices] == [("mean_of_classes", 1)]


def test_packed_files_are_read(tmp_path):
    path = tmp_path / "scores.csv.gz"
    path.write_bytes(gzip.compress(b"method,mAP\nbing,1\n"))
    assert read_method_scores(path).overall == {Setting("", "bing"): 1.0}


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("method,score\nbing,0.5\n", ["line 1", "missing column mAP or ap"]),
        ("method,mAP,ap\nbing,0.5,0.5\n", ["line 1", "both"]),
        ("name,mAP\nbing,0.5\n", ["line 1", "missing column method"]),
        ("method,mAP\nbing,0.5\nmcg,67.8\n", ["line 3", "67.8", "not percent"]),
        ("method,mAP\nbing,-0.1\n", ["line 2", "-0.1"]),
        ("method,mAP\nbing,good\n", ["line 2", "'good'"]),
        ("method,mAP\nbing,\n", ["line 2", "not a finite number"]),
        ("method,mAP\nbing,0.5\nbing,0.6\n", ["line 3", "'bing' already has a line (line 2)"]),
        (
            "method,detector,class,mAP\nbing,rcnn,dog,0.5\nbing,rcnn,dog,0.6\n",
            ["line 3", "method 'bing', detector 'rcnn', class 'dog'"],
        ),
        ("method,mAP\n  ,0.5\n", ["line 2", "no method name"]),
        ("method,mAP\n", ["no scores"]),
        ('[{"method": "bing"}]', ["JSON"]),
    ],
)
def test_what_is_wrong_is_told_with_its_line(tmp_path, text, parts):
    message = refused(tmp_path, text)
    for part in parts:
        assert part in message
