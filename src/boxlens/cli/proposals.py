"""`boxlens proposals`: where should a detector look? One action per file."""

from __future__ import annotations

from boxlens.cli.options import Commands, Parser
from boxlens.cli.proposal_actions import (
    correlate,
    generate,
    oracle,
    recall,
    repeatability,
    train,
    tune,
)

ACTIONS = (generate, recall, repeatability, correlate, oracle, tune, train)


def add_command(commands: Commands) -> None:
    command = commands.add_parser(
        "proposals",
        help="make and measure proposals: places where a detector should look",
        description="Make proposals, places where a detector should look, and measure them: how "
        "many objects they find, how stable they are, and how much detectors gain from them.",
    )
    names = "|".join(action.__name__.rpartition(".")[2] for action in ACTIONS)
    actions = command.add_subparsers(
        title="actions", metavar=names, required=True, parser_class=Parser
    )
    for action in ACTIONS:
        action.add_action(actions)
