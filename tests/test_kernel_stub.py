"""The typed stub speaks of exactly what the kernel offers."""

from __future__ import annotations

import ast

from boxlens import _kernel
from shared_data import ROOT


def test_stub_and_kernel_name_the_same_things():
    stub = ast.parse((ROOT / "src" / "boxlens" / "_kernel.pyi").read_text())
    named = {node.name for node in stub.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
    offered = {name for name in dir(_kernel) if not name.startswith("_")}
    assert offered == named


def test_stub_and_kernel_name_the_same_arguments():
    stub = ast.parse((ROOT / "src" / "boxlens" / "_kernel.pyi").read_text())
    for node in stub.body:
        if isinstance(node, ast.FunctionDef):
            arguments = [a.arg for a in (*node.args.args, *node.args.kwonlyargs)]
            signature = getattr(_kernel, node.name).__doc__.splitlines()[0]
            places = [signature.find(f"{name}:") for name in arguments]
            assert -1 not in places, (node.name, signature)
            assert places == sorted(places), (node.name, signature)
