"""Fine-tuning learns what the crops show, and copes with few crops, one class and none."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from boxlens.data.columns import frozen
from boxlens.detectors.classifiers.labelled_crops import LabelledCrops
from boxlens.detectors.classifiers.torch.classifier import squared
from boxlens.detectors.classifiers.torch.crop_cache import cut_crops
from boxlens.detectors.classifiers.torch.opening import small_network
from boxlens.detectors.classifiers.torch.training import class_mean_accuracy, fine_tune
from boxlens.detectors.classifiers.torch.training_data import TrainingData, in_batches
from boxlens.errors import InputError
from detectors.classifiers.torch_toys import QUICK, REASON, bits, first_objects, tiny, toy_crops

torch = pytest.importorskip("torch", reason=REASON)


def relabelled(crops: LabelledCrops, class_row) -> LabelledCrops:
    gt = replace(crops.dataset.gt, class_row=frozen(class_row, np.int32))
    return replace(crops, dataset=replace(crops.dataset, gt=gt))


def accuracy(classifier, crops: LabelledCrops) -> float:
    guesses = [classifier.classify(cut).argmax(axis=1) for _, cut in crops.by_image()]
    return float(np.mean(np.concatenate(guesses) == crops.class_row))


def test_the_small_network_learns_to_tell_toys_apart_from_scratch():
    choice = replace(QUICK, epochs=6, side_px=24, validation_share=0.1, augment=False)
    classifier = fine_tune(small_network, toy_crops(40), choice=choice)
    assert accuracy(classifier, toy_crops(12, seed=9)) > 0.9
    losses = [epoch.loss for epoch in classifier.history]
    assert losses[-1] < losses[0] / 2


def test_the_same_seed_gives_the_same_bits_and_torch_keeps_its_random_numbers():
    crops = toy_crops(5)
    choice = replace(QUICK, epochs=2)
    state = torch.random.get_rng_state()
    first = fine_tune(tiny, crops, choice=choice)
    assert (torch.random.get_rng_state() == state).all()
    torch.rand(5)
    assert bits(fine_tune(tiny, crops, choice=choice)) == bits(first)
    assert bits(fine_tune(tiny, crops, choice=replace(choice, seed=1))) != bits(first)


def test_the_best_epoch_is_kept_or_the_last():
    crops = toy_crops(6)
    best = fine_tune(tiny, crops, choice=replace(QUICK, epochs=4))
    last = fine_tune(tiny, crops, choice=replace(QUICK, epochs=4, keep="last"))
    assert repr(best.history) == repr(last.history)
    ranked = [(-one.validation_accuracy, one.validation_loss, one.number) for one in best.history]
    kept = min(ranked)[2]
    until_best = fine_tune(tiny, crops, choice=replace(QUICK, epochs=kept, keep="last"))
    assert bits(best) == bits(until_best)


def test_validation_takes_whole_images_and_the_mean_is_that_of_the_others(tmp_path):
    crops = toy_crops(12)
    cache = cut_crops(crops, 16, tmp_path)
    data = TrainingData.of(cache, crops.dataset, QUICK)
    learnt, judging = (set(cache.image_row[rows]) for rows in (data.train, data.validation))
    assert not learnt & judging
    assert len(judging) == 3
    kept = np.isin(crops.image_row, list(learnt))
    squares = [squared(crop, 16) for _, cut in crops.by_image() for crop in cut]
    shown = np.stack([square for square, stays in zip(squares, kept, strict=True) if stays])
    assert data.mean == pytest.approx(shown.reshape(-1, 3).mean(axis=0), rel=1e-12)


def test_adding_images_changes_no_other_image_between_learning_and_judging(tmp_path):
    """An image's own number decides; only the cut-off moves."""
    crops = toy_crops(12)
    choice = replace(QUICK, validation_share=0.5)

    def judging(part: LabelledCrops, folder) -> set[int]:
        cache = cut_crops(part, 8, folder)
        return set(
            cache.image_row[TrainingData.of(cache, part.dataset, choice).validation].tolist()
        )

    all_rows = judging(crops, tmp_path / "all")
    without = judging(crops.in_images(np.arange(11)), tmp_path / "fewer")
    assert len(all_rows ^ without) <= 2


@pytest.mark.parametrize("n", [1, 2, 9, 17])
def test_few_crops_and_a_last_batch_of_one_can_be_learnt_from(n):
    crops = first_objects(toy_crops(12), n)
    choice = replace(QUICK, epochs=1, validation_share=0.0)
    classifier = fine_tune(tiny, crops, choice=choice)
    assert np.isnan(classifier.history[0].validation_accuracy)
    assert np.isfinite(classifier.history[0].loss)


@pytest.mark.parametrize("n", [1, 2, 7, 8, 9, 16, 17, 25])
def test_batches_hold_every_row_and_never_one_alone(n):
    batches = in_batches(np.arange(n), 8)
    assert min(map(len, batches)) > 1
    assert set(np.concatenate(batches).tolist()) == set(range(n))
    assert sum(map(len, batches)) == max(n, 2)


def test_one_class_is_learnt_and_always_said():
    crops = toy_crops(4)
    dataset = crops.dataset.select_classes([0])
    alone = LabelledCrops.of(dataset, crops.images)
    classifier = fine_tune(tiny, alone, choice=replace(QUICK, epochs=1))
    assert (classifier.classify([crops.images[0]]) == 1.0).all()


def test_a_class_without_examples_is_told_and_does_not_matter():
    crops = toy_crops(4)
    fewer = relabelled(crops, np.minimum(crops.dataset.gt.class_row, 1))
    classifier = fine_tune(tiny, fewer, choice=replace(QUICK, epochs=1))
    assert classifier.classify([crops.images[0]]).shape == (1, 3)
    assert [notice.code for notice in classifier.notices] == ["class_without_examples"]
    assert "wedge" in classifier.notices[0].message


def test_a_box_outside_its_picture_is_counted():
    crops = toy_crops(4)
    box = crops.dataset.gt.box.copy()
    box[2, 0] = 5_000
    gt = replace(crops.dataset.gt, box=frozen(box, np.float64))
    moved = replace(crops, dataset=replace(crops.dataset, gt=gt))
    classifier = fine_tune(tiny, moved, choice=replace(QUICK, epochs=1))
    assert ("box_outside", 1) in [(one.code, one.count) for one in classifier.notices]


def test_a_box_without_area_is_counted_too():
    crops = toy_crops(4)
    box = crops.dataset.gt.box.copy()
    box[2, 3] = 0
    gt = replace(crops.dataset.gt, box=frozen(box, np.float64))
    flat = LabelledCrops.of(replace(crops.dataset, gt=gt), crops.images)
    classifier = fine_tune(tiny, flat, choice=replace(QUICK, epochs=1))
    told = "1 box outside its picture was not used for training"
    assert told in [one.message for one in classifier.notices]


def test_a_loss_that_runs_away_names_the_learning_rate():
    with pytest.raises(InputError, match="Lower the learning rate"):
        fine_tune(tiny, toy_crops(4), choice=replace(QUICK, learning_rate=1e30))


def test_weights_that_run_away_in_the_very_last_step_are_noticed():
    crops = first_objects(toy_crops(4), 6)
    choice = replace(QUICK, epochs=1, validation_share=0.0, learning_rate=1e38, weight_decay=1e5)
    with pytest.raises(InputError, match="Lower the learning rate"):
        fine_tune(tiny, crops, choice=choice)


def test_what_cannot_be_learnt_from_or_with_is_refused():
    crops = toy_crops(2)
    with pytest.raises(InputError, match="no objects"):
        fine_tune(tiny, first_objects(crops, 0), choice=QUICK)
    with pytest.raises(InputError, match=r"expected a torch\.nn\.Module"):
        fine_tune(lambda n: "net", crops, choice=QUICK)
    with pytest.raises(InputError, match="no parameters"):
        fine_tune(lambda n: torch.nn.Flatten(), crops, choice=QUICK)
    with pytest.raises(InputError, match="x 3 was expected"):
        fine_tune(lambda n: tiny(n + 1), crops, choice=QUICK)


def test_frozen_parameters_stay_as_they_are():
    def half_frozen(n_classes: int):
        module = tiny(n_classes)
        module[0].weight.requires_grad = False
        return module

    torch.manual_seed(QUICK.seed)
    expected = half_frozen(3)[0].weight
    classifier = fine_tune(half_frozen, toy_crops(4), choice=replace(QUICK, epochs=1))
    assert (classifier.module[0].weight == expected).all()


def test_accuracy_is_the_mean_of_the_class_recalls():
    assert class_mean_accuracy(np.array([0, 0, 0, 2]), np.array([0, 0, 1, 2])) == (2 / 3 + 1) / 2


def test_progress_counts_every_batch_once():
    calls = []
    fine_tune(tiny, toy_crops(6), choice=QUICK, progress=lambda *call: calls.append(call))
    steps = [call for call in calls if call[0] == "fine-tuning"]
    assert [done for _, done, _ in steps] == list(range(1, steps[-1][2] + 1))
    assert [call[1:] for call in calls if call[0] == "cutting crops"][-1] == (6, 6)


def test_a_module_that_cannot_take_the_crops_is_told_in_a_line(tmp_path):
    def flat(n_classes):
        return torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(5, n_classes))

    with pytest.raises(
        InputError, match=r"the module failed on crops of \d+ x 3 x \d+ x \d+ \(Run"
    ):
        fine_tune(flat, toy_crops(), choice=QUICK)
