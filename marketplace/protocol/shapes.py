"""Check requests and responses against botocore's own service model of MTurk.

boto3 checks required members, types and minima before it sends; a server must also check patterns, maxima
and enumerations. Messages follow the wording of AWS's validators.
"""

import re
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache
from typing import Any

from botocore.loaders import Loader
from botocore.model import ListShape, OperationModel, ServiceModel, Shape, StructureShape

from marketplace.errors import SerializationException, UnknownOperationException, ValidationException

_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "long": (int,),
    "boolean": (bool,),
    "timestamp": (int, float),
    "structure": (dict,),
    "list": (list,),
}
_BOUNDS = {"integer": 2**31, "long": 2**63}


class UndescribedResponse(AssertionError):
    """Our own response does not match the model: a bug in the marketplace, not an error of the caller."""


@cache
def service() -> ServiceModel:
    """Return botocore's model of the service, loaded once."""
    return ServiceModel(Loader().load_service_model("mturk", "service-2"), "mturk")


@cache
def operation(name: str) -> OperationModel:
    """Return the model of one operation; raises UnknownOperationException."""
    if name not in service().operation_names:
        raise UnknownOperationException(f"This service has no operation {name}.")
    return service().operation_model(name)


@cache
def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(text)


@dataclass
class _Findings:
    """The broken constraints of one request. A wrong type is not collected: it raises immediately."""

    broken: list[str] = field(default_factory=list)

    def add(self, value: object, path: str, constraint: str) -> None:
        shown = "null" if value is None else f"'{value}'"
        self.broken.append(f"Value {shown} at '{path}' failed to satisfy constraint: {constraint}")


def read_request(name: str, document: dict[str, Any]) -> dict[str, Any]:
    """Return the known members of ``document``, checked; times become aware datetimes, nulls are dropped.

    Raises SerializationException for a wrong type, and one ValidationException for all broken constraints.
    Members that the model does not know are dropped, as AWS does.
    """
    findings = _Findings()
    shape = operation(name).input_shape
    request: dict[str, Any] = _read_value(shape, document, "", findings) if shape is not None else {}
    if findings.broken:
        count = len(findings.broken)
        noun = "validation error" if count == 1 else "validation errors"
        raise ValidationException(f"{count} {noun} detected: {'; '.join(findings.broken)}")
    return request


def write_response(name: str, document: dict[str, Any]) -> dict[str, Any]:
    """Return ``document`` without nulls, checked against the output shape; raises UndescribedResponse."""
    shape = operation(name).output_shape
    if shape is None:
        return {}
    response: dict[str, Any] = _checked_output(shape, document, name)
    return response


def _read_value(shape: Shape, value: Any, path: str, findings: _Findings) -> Any:
    if not _has_type(shape, value):
        raise SerializationException(f"The member '{path or 'body'}' must be a {shape.type_name}.")
    if isinstance(shape, StructureShape):
        return _read_members(shape, value, path, findings)
    if isinstance(shape, ListShape):
        _check_length(shape, value, path, findings)
        return [
            _read_value(shape.member, item, f"{path}.{place}.member", findings)
            for place, item in enumerate(value, start=1)
        ]
    if shape.type_name == "timestamp":
        return _read_time(value, path)
    if shape.type_name == "string":
        _check_text(shape, value, path, findings)
    elif shape.type_name in _BOUNDS:
        _check_number(shape, value, path, findings)
    return value


def _has_type(shape: Shape, value: Any) -> bool:
    if isinstance(value, bool) and shape.type_name != "boolean":
        return False
    return isinstance(value, _TYPES[shape.type_name])


def _read_members(
    shape: StructureShape, value: dict[str, Any], path: str, findings: _Findings
) -> dict[str, Any]:
    members: dict[str, Any] = {}
    for name, member in shape.members.items():
        inner = f"{path}.{_lower_first(name)}" if path else _lower_first(name)
        if value.get(name) is not None:
            members[name] = _read_value(member, value[name], inner, findings)
        elif name in shape.required_members:
            findings.add(None, inner, "Member must not be null")
    return members


def _lower_first(name: str) -> str:
    """Return ``HITId`` as ``hITId``, the way AWS's messages write it."""
    return name[:1].lower() + name[1:]


def _read_time(value: float, path: str) -> datetime:
    try:
        return datetime.fromtimestamp(value, UTC)
    except (OverflowError, ValueError, OSError):
        raise SerializationException(f"The member '{path}' is not a time.") from None


def _check_length(shape: Shape, value: Any, path: str, findings: _Findings) -> None:
    if "min" in shape.metadata and len(value) < shape.metadata["min"]:
        findings.add(value, path, f"Member must have length greater than or equal to {shape.metadata['min']}")
    if "max" in shape.metadata and len(value) > shape.metadata["max"]:
        findings.add(value, path, f"Member must have length less than or equal to {shape.metadata['max']}")


def _check_text(shape: Shape, value: str, path: str, findings: _Findings) -> None:
    _check_length(shape, value, path, findings)
    pattern = shape.metadata.get("pattern")
    if pattern and not _pattern(pattern).fullmatch(value):
        findings.add(value, path, f"Member must satisfy regular expression pattern: {pattern}")
    if "\x00" in value:
        findings.add(value, path, "Member must not contain a null character")
    allowed = shape.metadata.get("enum")
    if allowed and value not in allowed:
        findings.add(value, path, f"Member must satisfy enum value set: [{', '.join(allowed)}]")


def _check_number(shape: Shape, value: int, path: str, findings: _Findings) -> None:
    bound = _BOUNDS[shape.type_name]
    if not -bound <= value < bound:
        raise SerializationException(f"The member '{path}' does not fit a {shape.type_name}.")
    if "min" in shape.metadata and value < shape.metadata["min"]:
        findings.add(value, path, f"Member must have value greater than or equal to {shape.metadata['min']}")
    if "max" in shape.metadata and value > shape.metadata["max"]:
        findings.add(value, path, f"Member must have value less than or equal to {shape.metadata['max']}")


def _checked_output(shape: Shape, value: Any, path: str) -> Any:
    if isinstance(shape, StructureShape):
        unknown = sorted(set(value) - set(shape.members))
        if unknown:
            raise UndescribedResponse(f"{path} has no member {', '.join(unknown)}")
        return {
            name: _checked_output(shape.members[name], inner, f"{path}.{name}")
            for name, inner in value.items()
            if inner is not None
        }
    if isinstance(shape, ListShape):
        return [_checked_output(shape.member, item, f"{path}[]") for item in value]
    if shape.type_name == "timestamp":
        if not isinstance(value, datetime):
            raise UndescribedResponse(f"{path} must be a datetime")
        return value
    findings = _Findings()
    if _has_type(shape, value) and shape.type_name == "string":
        _check_text(shape, value, path, findings)
    if not _has_type(shape, value) or findings.broken:
        raise UndescribedResponse(f"{path}: {value!r} is not a {shape.name}. {'; '.join(findings.broken)}")
    return value
