"""What a gate found: one verdict per rule, the verdict of all, and why."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from boxlens.data import Notice
from boxlens.display import Displayed
from boxlens.metrics.intervals import Interval, ResamplingChoice
from boxlens.metrics.json_form import HIDDEN, JsonRecord, as_key, fields_to_json
from boxlens.metrics.results import Provenance, envelope
from boxlens.studies.comparison.gating.rules import Rule, Target
from boxlens.wording import counted

SCHEMA = "boxlens/gate/1"
# "warning": the estimate breaks the rule, but within chance.
Verdict = Literal["pass", "warning", "fail", "error"]
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)


@dataclass(frozen=True, slots=True)
class RuleOutcome:
    """One rule for one target; values are NaN where they could not be computed."""

    rule: Rule = field(metadata=HIDDEN)
    of: Target = field(metadata=HIDDEN)
    verdict: Verdict
    reason: str
    baseline: float
    candidate: float
    # Candidate minus baseline.
    difference: Interval
    limit: float
    # By how much the rule is kept, in its own direction: what is tested.
    margin: Interval
    # The one-sided chance of such a margin if the rule is in truth just kept; and after Holm.
    p: float
    p_holm: float
    # The smallest breach that these images would have shown, four times in five.
    detectable: float
    # Images with objects that count here.
    n_images: int

    @property
    def text(self) -> str:
        return self.rule.text_of(self.of)

    @property
    def side(self) -> str:
        """On which side of its limit a broken rule lies."""
        at_limit = self.margin.value == 0
        return "at" if at_limit else "below" if self.rule.lower else "above"

    def to_json(self) -> dict[str, Any]:
        what = {"rule": self.text, "metric": self.rule.metric, "of": str(self.of)}
        return {**what, **fields_to_json(self)}


@dataclass(frozen=True, slots=True)
class UntestedClass(JsonRecord):
    """A class with too few images for a rule of each class."""

    rule: Rule = field(metadata=as_key("rule", str))
    name: str = field(metadata=as_key("class"))
    n_images: int


@dataclass(frozen=True, slots=True, repr=False)
class GateResult(Displayed):
    """Whether a candidate may take the place of a baseline.

    >>> result = gate(gt, dt, other_dt, rules="AP >= baseline - 0.002", replicates=100)
    >>> result.passed, result.of_verdict("fail")
    (True, [])
    """

    protocol: str
    """Whose rules were followed."""
    dataset: str
    """The name of the ground truth."""
    n_images: int
    """How many images there are."""
    n_objects: int
    """How many objects there are."""
    baseline: str
    """Name of the detector that the candidate is compared with."""
    candidate: str
    """Name of the detector under test."""
    resampling: ResamplingChoice
    """How images were resampled: replicates, seed and level."""
    fail_on_estimate: bool
    """Whether a rule broken within chance fails, too."""
    outcomes: tuple[RuleOutcome, ...]
    """One per rule and target: its verdict, the values, their difference and its p."""
    untested: tuple[UntestedClass, ...]
    """Classes with too few images for a rule of each class."""
    provenance: Provenance
    """The inputs with their hashes, and the version of Boxlens."""
    notices: tuple[Notice, ...] = ()
    """What was skipped or filled in."""

    def __repr__(self) -> str:
        return f"GateResult({self.headline})"

    def of_verdict(self, verdict: Verdict) -> list[RuleOutcome]:
        """The outcomes with a verdict: "pass", "warning", "fail" or "error"."""
        return [outcome for outcome in self.outcomes if outcome.verdict == verdict]

    @property
    def passed(self) -> bool:
        """Every rule could be computed, and none is broken beyond chance."""
        kept = all(outcome.verdict in ("pass", "warning") for outcome in self.outcomes)
        return kept and len(self.outcomes) > 0

    @property
    def headline(self) -> str:
        """One sentence for all rules."""
        n = {verdict: len(self.of_verdict(verdict)) for verdict in VERDICTS}
        rules = counted(len(self.outcomes), "rule holds", "rules hold")
        parts = [f"{n['pass']} of {rules}"]
        if n["warning"]:
            parts.append(f"{n['warning']} broken within chance")
        if n["fail"]:
            beyond = "" if self.fail_on_estimate else " beyond chance"
            parts.append(f"{n['fail']} broken{beyond}")
        if n["error"]:
            parts.append(f"{n['error']} could not be computed")
        if self.untested:
            parts.append(f"{counted(len(self.untested), 'class', 'classes')} not tested")
        return f"{'passed' if self.passed else 'FAILED'}: {', '.join(parts)}"

    def to_json(self) -> dict[str, Any]:
        """The stable form that `boxlens gate --json -` prints; undefined is null."""
        return envelope(
            SCHEMA,
            provenance=self.provenance,
            parameters={
                "protocol": self.protocol,
                **self.resampling.to_json(),
                "fail_on_estimate": self.fail_on_estimate,
            },
            dataset={
                "name": self.dataset,
                "n_images": self.n_images,
                "n_objects": self.n_objects,
            },
            notices=self.notices,
            results={
                "passed": self.passed,
                "headline": self.headline,
                "baseline": self.baseline,
                "candidate": self.candidate,
                "rules": self.outcomes,
                "untested": self.untested,
            },
        )
