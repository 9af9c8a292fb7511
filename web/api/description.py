"""The API's parser of request bodies and its OpenAPI schema, where Django Ninja's defaults are not enough."""

import json
import re
from typing import Any

from django.http import HttpRequest
from ninja import NinjaAPI, Schema
from ninja.errors import HttpError
from ninja.openapi.schema import OpenAPISchema
from ninja.operation import Operation
from ninja.parser import Parser

from web.api.problem_details import CONTENT_TYPE


class Found(Schema):
    """One invalid field or parameter (``where``), and why it is invalid."""

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
    "description": "The problem, and how to fix it",
    "content": {CONTENT_TYPE: {"schema": REFERENCE}},
}


class ObjectParser(Parser):
    """A parser that accepts only JSON objects that the database can store.

    It rejects NUL characters and lone surrogates.
    """

    def parse_body(self, request: HttpRequest) -> dict[str, Any]:
        """Return the parsed object. Raises HttpError 400."""
        try:
            said = json.loads(request.body)
            text = json.dumps(said, ensure_ascii=False).encode()
        except ValueError as error:  # includes UnicodeError
            raise HttpError(400, "The body must be JSON in UTF-8.") from error
        if not isinstance(said, dict):
            raise HttpError(400, "The body must be a JSON object.")
        if re.search(
            rb"(?<!\\)(\\\\)*\\u0000", text
        ):  # an escaped backslash begins the six characters \\u0000
            raise HttpError(400, "The body contains a NUL character. Remove it.")
        return said


class DescribedAPI(NinjaAPI):
    """An API whose schema lists its errors, for generated clients and for tests."""

    def get_openapi_operation_id(self, operation: Operation) -> str:
        """Return the name of the call's function without its module, so that the id survives moving the function."""
        return operation.view_func.__name__

    def get_openapi_schema(self, **given: Any) -> OpenAPISchema:
        """Return the schema, with an error response for each operation, and with no token required for reads."""
        document = super().get_openapi_schema(**given)
        schema = Problem.model_json_schema(ref_template="#/components/schemas/{model}")
        document["components"]["schemas"] |= schema.pop("$defs", {}) | {"Problem": schema}
        for calls in document["paths"].values():
            for method, call in calls.items():
                call["responses"]["default"] = ANY_ERROR
                if method == "get":  # published data can be read without a token
                    call["security"] = [*call.get("security", []), {}]
        return document
