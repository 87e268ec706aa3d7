"""EdgeBoxes: edges of our own or of a model, variants, and suppression that adapts."""

from __future__ import annotations

import gzip

import numpy as np
import pytest

from boxlens.errors import InputError
from boxlens.studies.proposals.edges import find_edges, structured_edges
from boxlens.studies.proposals.generators.edge_boxes import LARGEST_PX, EdgeBoxes
from boxlens.studies.proposals.generators.opening import open_generator

# A forest of one tree and one question: where colours change along a line, there is an edge.
MODEL = """%YAML:1.0
---
options:
   stride: 2
   shrinkNumber: 2
   patchSize: 32
   patchInnerSize: 16
   numberOfGradientOrientations: 4
   gradientSmoothingRadius: 0
   regFeatureSmoothingRadius: 2
   ssFeatureSmoothingRadius: 8
   gradientNormalizationRadius: 4
   selfsimilarityGridSize: 5
   numberOfTrees: 1
   numberOfTreesToEvaluate: 1
childs:
   - [ 2, 0, 0 ]
featureIds:
   - [ {feature}, 0, 0 ]
thresholds:
   - [ 0.05, 0., 0. ]
edgeBoundaries:
   - [ 0, 0, 0, 80 ]
edgeBins:
   - [ {bins} ]
"""
# The four pixels in the middle of a patch, so often that they count as strong.
BINS = ", ".join(["119, 120, 135, 136"] * 20)
# The strength of the gradient in the middle of a patch of 16 x 16 cells, the fourth channel.
FEATURE = 3 * 256 + 8 * 16 + 8


@pytest.fixture
def model(tmp_path):
    path = tmp_path / "model.yml.gz"
    text = MODEL.replace("{feature}", str(FEATURE)).replace("{bins}", BINS)
    path.write_bytes(gzip.compress(text.encode()))
    return str(path)


def test_edges_are_thin_and_normal_to_what_they_bound():
    image = np.zeros((40, 60, 3), dtype=np.uint8)
    image[:, 30:] = 200
    edges = find_edges(image)
    strong = edges.strength[5:-5] > 0.5
    assert (strong.sum(axis=1) <= 2).all()
    assert set(np.nonzero(strong)[1].tolist()) <= {29, 30}
    angle = edges.normal[5:-5][strong]
    assert np.minimum(angle, np.pi - angle).max() < 0.01
    turned = find_edges(image.transpose(1, 0, 2))
    np.testing.assert_allclose(turned.strength, edges.strength.T, atol=1e-5)
    assert edges.strength.max() <= 1
    assert ((edges.normal >= 0) & (edges.normal <= np.float32(np.pi))).all()


def test_a_picture_without_edges_has_no_strong_ones():
    flat = np.random.default_rng(0).integers(126, 130, (60, 80, 3), dtype=np.uint8)
    assert find_edges(flat).strength.max() < 0.5


def test_a_picture_too_large_for_opencv_is_refused():
    with pytest.raises(InputError, match="Scale the picture down"):
        EdgeBoxes().propose(np.zeros((1, LARGEST_PX, 3), np.uint8), 10)


@pytest.mark.parametrize(
    ("word", "alpha", "beta", "eta"),
    [
        ("edge-boxes", 0.65, 0.75, 1.0),
        ("edge-boxes-50", 0.65, 0.55, 1.0),
        ("edge-boxes-70", 0.65, 0.75, 1.0),
        ("edge-boxes-90", 0.85, 0.95, 1.0),
        ("edge-boxes-ar", 0.65, 0.90, 0.9996),
    ],
)
def test_variants_have_the_parameters_of_their_overlap(word, alpha, beta, eta):
    made = open_generator(word)
    assert (made.name, made.alpha, made.beta, made.eta) == (word, alpha, beta, eta)


def greedy(boxes: np.ndarray, beta: float, eta: float) -> list[list[float]]:
    """METHODS 6.9: beta shrinks after each box that is kept, until it is .5 or less."""
    kept: list[int] = []
    for row in range(len(boxes)):
        if not (overlaps(boxes[row], boxes[kept]) > beta).any():
            kept.append(row)
            if beta > 0.5:
                beta *= eta
    return boxes[kept].tolist()


def overlaps(one: np.ndarray, others: np.ndarray) -> np.ndarray:
    low = np.maximum(one[:2], others[:, :2])
    high = np.minimum(one[:2] + one[2:], others[:, :2] + others[:, 2:])
    common = (high - low).clip(0).prod(axis=1)
    return common / (one[2:].prod() + others[:, 2:].prod(axis=1) - common)


@pytest.mark.parametrize(("beta", "eta"), [(0.9, 0.99), (0.9, 0.9996), (0.75, 1.0)])
def test_suppression_adapts_as_the_rule_says(beta, eta):
    # Patches of all colours: no two boxes have the same score.
    coarse = np.random.default_rng(3).integers(0, 256, (6, 6, 3), dtype=np.uint8)
    image = np.repeat(np.repeat(coarse, 12, axis=0), 13, axis=1)
    everything, _ = EdgeBoxes(beta=1.0, max_boxes=10**6).propose(image, 10**6)
    found, _ = EdgeBoxes(beta=beta, eta=eta).propose(image, 10**6)
    assert len(found) < len(everything)
    assert found.tolist() == greedy(everything, beta, eta)


def test_a_model_gives_the_edges(model):
    image = np.zeros((90, 120, 3), dtype=np.uint8)
    image[25:70, 30:95] = (200, 60, 30)
    edges = structured_edges(image, model)
    assert edges.strength.shape == edges.normal.shape == (90, 120)
    on_border = edges.strength[40:55, 22:38].max()
    assert on_border > 10 * edges.strength[40:55, 50:75].max()
    made = open_generator(f"edge-boxes-50:{model}")
    assert (made.name, made.model) == ("edge-boxes-50", model)
    assert made.identity != EdgeBoxes.tuned_for(0.5).identity
    boxes, _ = made.propose(image, 100)
    assert len(boxes)
    assert boxes.tolist() != EdgeBoxes.tuned_for(0.5).propose(image, 100)[0].tolist()


@pytest.mark.parametrize("size", [(1, 1), (3, 200), (40, 5)])
def test_a_model_takes_pictures_of_any_size(model, size):
    image = np.random.default_rng(0).integers(0, 256, (*size, 3), dtype=np.uint8)
    assert structured_edges(image, model).strength.shape == size
    EdgeBoxes(model=model).propose(image, 10)


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"", "no model of structured edges: it has no options, childs"),
        (b"not a model", "no model of structured edges"),
        (gzip.compress(b"%YAML:1.0\n---\noptions:\n   stride: 2\n", mtime=0), "it has no childs"),
        (MODEL.replace("numberOfTrees: 1", "numberOfTrees: 0").encode(), "it has no trees"),
        (MODEL.replace("%YAML:1.0", "[").encode(), "OpenCV cannot use this model"),
    ],
    ids=["empty", "text", "options alone", "no trees", "not yaml"],
)
def test_a_file_that_is_no_model_is_refused_with_a_remedy(tmp_path, content, problem):
    path = tmp_path / "model.yml.gz"
    path.write_bytes(content)
    with pytest.raises(InputError, match=rf"model\.yml\.gz.*{problem}.*opencv_extra"):
        open_generator(f"edge-boxes:{path}")
