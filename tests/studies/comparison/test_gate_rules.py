"""The language of a gate's rules: what it understands, and what it says about mistakes."""

from __future__ import annotations

import numpy as np
import pytest

from boxlens.errors import InputError, ParameterError
from boxlens.studies.comparison.gating.mistakes import Place, meant
from boxlens.studies.comparison.gating.rules import parse_rule, rule_of_fields

PLACE = Place("rule 1", "rules.toml")


@pytest.mark.parametrize(
    ("text", "metric", "of", "comparator", "share", "plus"),
    [
        ("AP >= baseline - 0.002", "AP", ("whole", ""), ">=", 1, -0.002),
        ("AP>=baseline-0.002", "AP", ("whole", ""), ">=", 1, -0.002),
        ("  AP50   >  0.4 ", "AP50", ("whole", ""), ">", 0, 0.4),
        ("AR100 <= baseline + .01", "AR100", ("whole", ""), "<=", 1, 0.01),
        ("mAP < 1", "mAP", ("whole", ""), "<", 0, 1),
        ("AP >= baseline * 0.98", "AP", ("whole", ""), ">=", 0.98, 0),
        ("AP >= 2e-1", "AP", ("whole", ""), ">=", 0, 0.2),
        ("AP of person >= baseline", "AP", ("class", "person"), ">=", 1, 0),
        ("AP of traffic light >= baseline", "AP", ("class", "traffic light"), ">=", 1, 0),
        ('AP of "a >= b" >= baseline', "AP", ("class", "a >= b"), ">=", 1, 0),
        ("AP of 'each class' >= baseline", "AP", ("class", "each class"), ">=", 1, 0),
        ('AP of "driver\'s seat" >= baseline', "AP", ("class", "driver's seat"), ">=", 1, 0),
        ("AP of each  class >= baseline - 0.05", "AP", ("each class", ""), ">=", 1, -0.05),
        ("AP75 of slice:night >= baseline", "AP75", ("slice", "night"), ">=", 1, 0),
        ('AP of slice:"low light" >= 0.1', "AP", ("slice", "low light"), ">=", 0, 0.1),
        ("AP of 'slice:night' >= 0.1", "AP", ("class", "slice:night"), ">=", 0, 0.1),
    ],
)
def test_a_rule_is_understood(text, metric, of, comparator, share, plus):
    rule = parse_rule(text)
    assert rule.metric == metric
    assert (rule.of.kind, rule.of.name) == of
    assert rule.comparator == comparator
    assert (rule.limit.share, rule.limit.plus) == (share, plus)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "compares a metric with a limit"),
        ("AP", "compares a metric with a limit"),
        ("AP person >= baseline", "compares a metric with a limit"),
        (">= baseline", "compares a metric with a limit"),
        ("AP = baseline", "'=' does not compare"),
        ("AP == baseline", "'==' does not compare"),
        ("AP => baseline", "'=>' does not compare"),
        ("AP != 0.4", "'!=' does not compare"),
        ("AP >=", "'' is not a valid limit"),
        ("AP >= best", "'best' is not a valid limit"),
        ("AP >= nan", "'nan' is not a valid limit"),
        ("AP >= inf", "'inf' is not a valid limit"),
        ("AP >= baseline - 1%", "'baseline - 1%' is not a valid limit"),
        ("AP >= baseline - -0.1", "is not a valid limit"),
        ("AP >= baseline / 2", "is not a valid limit"),
        ("AP >= 0.1 <= 0.2", "is not a valid limit"),
        ("AP >= 40", "metrics are fractions"),
        ("AP >= -0.1", "metrics are fractions"),
        ("AP >= 1e999", "metrics are fractions"),
        ("AP >= baseline - 2", "metrics are fractions"),
        ("AP >= baseline - 1", "metrics are fractions"),
        ("AP >= baseline * 98", "above 0 and at most 2"),
        ("AP >= baseline * 0", "above 0 and at most 2"),
        ("AP of >= baseline", "names a class, a slice"),
        ("AP of '' >= baseline", "names a class, a slice"),
        ("AP of slice: >= baseline", "names a class, a slice"),
    ],
)
def test_a_mistake_is_told_with_the_rule(text, problem):
    with pytest.raises(ParameterError) as error:
        parse_rule(text)
    assert problem in str(error.value)
    assert str(error.value).startswith(f"rule {text!r}: ")


@pytest.mark.parametrize(
    "text",
    [
        "AP >= baseline",
        "AP of person >= baseline - 0.01",
        "AP50 of slice:night < 0.4",
        "AP of each class >= baseline * 0.9",
    ],
)
def test_a_rule_prints_as_it_is_written(text):
    assert str(parse_rule(text)) == text


def test_a_limit_is_taken_from_every_value_of_the_baseline():
    baseline = np.array([0.5, 0.25, np.nan])
    assert parse_rule("AP >= baseline * 0.5").limit.at(baseline)[:2].tolist() == [0.25, 0.125]
    assert parse_rule("AP >= baseline - 0.25").limit.at(baseline)[:2].tolist() == [0.25, 0.0]
    assert np.isnan(parse_rule("AP >= baseline").limit.at(baseline)[2])


def test_a_mere_number_does_not_look_at_the_baseline():
    assert parse_rule("AP >= 0.5").limit.at(np.array([np.nan, 1.0])).tolist() == [0.5, 0.5]


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({"rule": "AP >= baseline"}, "AP >= baseline"),
        ({"metric": "AP", "at_least": "baseline - 0.01"}, "AP >= baseline - 0.01"),
        ({"metric": "AP50", "of": "person", "at_least": 0.4}, "AP50 of person >= 0.4"),
        ({"metric": "AP", "of": "each class", "at_most": 1}, "AP of each class <= 1"),
        (
            {"metric": "AP", "of": "slice:a b", "at_least": "baseline"},
            "AP of slice:a b >= baseline",
        ),
    ],
)
def test_fields_say_the_same_as_text(fields, text):
    assert str(rule_of_fields(fields, PLACE)) == text


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ({}, "has a metric and one of at_least and at_most"),
        ({"metric": "AP"}, "has a metric and one of at_least and at_most"),
        ({"at_least": 0.4}, "has a metric and one of at_least and at_most"),
        ({"metric": "AP", "at_least": 0.1, "at_most": 0.2}, "one of at_least and at_most"),
        ({"rule": "AP >= 0.1", "of": "person"}, "give either rule"),
        ({"metric": "AP", "atleast": 0.1}, "Did you mean 'at_least'?"),
        ({"rule": 3}, "rule is a text, got 3"),
        ({"metric": ["AP"], "at_least": 0.1}, "metric is a text"),
        ({"metric": "AP", "of": 3, "at_least": 0.1}, "of is a text, got 3"),
        ({"metric": "AP", "at_least": True}, "at_least is a number or a text, got True"),
        ({"metric": "AP", "at_least": float("nan")}, "'nan' is not a valid limit"),
        ({"metric": "AP", "at_least": 40}, "metrics are fractions"),
    ],
)
def test_a_mistake_in_fields_is_told_with_file_and_place(fields, problem):
    with pytest.raises(InputError) as error:
        rule_of_fields(fields, PLACE)
    assert problem in str(error.value)
    assert str(error.value).startswith("rules.toml, rule 1: ")


def test_the_nearest_name_is_offered_whatever_its_case():
    assert meant("ap50", ["AP", "AP50"]) == "Did you mean 'AP50'? Known: AP, AP50"
    assert meant("zebra", ["AP"]) == "Known: AP"
    assert meant("x", []) == "There is none to choose from"
    assert meant("x", [str(n) for n in range(100, 120)]).endswith("111 and 8 more")
