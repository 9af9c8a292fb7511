"""The contract calls every operation there is."""

from __future__ import annotations

import re
from pathlib import Path

from botocore import xform_name
from botocore.loaders import Loader


def test_every_operation_of_the_service_model_is_called_through_boto3():
    folder = Path(__file__).parent
    text = "\n".join(file.read_text() for file in folder.glob("*.py") if file != Path(__file__))
    called = set(re.findall(r"\bcrowd\.([a-z_]+)", text)) | set(re.findall(r'crowd, "([a-z_]+)"', text))
    called |= set(re.findall(r'get_paginator\("([a-z_]+)"\)', text))
    called |= set(re.findall(r'every\(\s*crowd,\s*"([a-z_]+)"', text))
    model = Loader().load_service_model("mturk", "service-2")

    assert {xform_name(name) for name in model["operations"]} - called == set()
