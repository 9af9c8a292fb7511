"""How the API reads bodies and describes itself: the library's ways, and what they leave open."""

from __future__ import annotations

import json
from typing import Any

from django.http import HttpRequest
from ninja import NinjaAPI, Schema
from ninja.errors import HttpError
from ninja.openapi.schema import OpenAPISchema
from ninja.parser import Parser

from web.api.problems import CONTENT_TYPE


class Found(Schema):
    """One thing that is wrong, and where."""

    where: str
    reason: str


class Problem(Schema):
    """RFC 9457 problem details."""

    type: str
    title: str
    status: int
    detail: str = ""
    next_step: str = ""
    problems: list[Found] = []


REFERENCE = {"$ref": "#/components/schemas/Problem"}
ANY_ERROR = {
    "description": "What is wrong, and what to do next",
    "content": {CONTENT_TYPE: {"schema": REFERENCE}},
}


class ObjectParser(Parser):
    """Bodies are JSON objects of text that a database can keep: no NUL characters, no half of a surrogate pair."""

    def parse_body(self, request: HttpRequest) -> dict[str, Any]:
        """The object; raises HttpError 400."""
        try:
            said = json.loads(request.body)
            text = json.dumps(said, ensure_ascii=False).encode()
        except ValueError as error:  # UnicodeError is one
            raise HttpError(400, "The body must be JSON in UTF-8.") from error
        if not isinstance(said, dict):
            raise HttpError(400, "The body must be a JSON object.")
        if b"\\u0000" in text:
            raise HttpError(400, "The body has a NUL character in it.")
        return said


class DescribedAPI(NinjaAPI):
    """An API whose document names its errors, so that generated clients and tests know them."""

    def get_openapi_schema(self, **given: Any) -> OpenAPISchema:
        """The document, with a default answer for each call."""
        document = super().get_openapi_schema(**given)
        schema = Problem.model_json_schema(ref_template="#/components/schemas/{model}")
        document["components"]["schemas"] |= schema.pop("$defs", {}) | {"Problem": schema}
        for calls in document["paths"].values():
            for method, call in calls.items():
                call["responses"]["default"] = ANY_ERROR
                if method == "get":  # what is published is read without a token, too
                    call["security"] = [*call.get("security", []), {}]
        return document
