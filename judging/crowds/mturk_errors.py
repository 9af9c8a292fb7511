"""From the protocol's errors to ours, which say whether trying again can help.

Codes and messages: see the notes on each in docs/architecture.md, "Calls to a crowd".
"""

from __future__ import annotations

import re

from botocore.exceptions import BotoCoreError, ClientError, ParamValidationError

from judging.errors import (
    CrowdAlready,
    CrowdConfiguration,
    CrowdError,
    CrowdLater,
    CrowdMoney,
    CrowdNever,
    CrowdThrottled,
)

CONFIGURATION = {
    "UnrecognizedClientException",
    "InvalidSignatureException",
    "AccessDeniedException",
    "InvalidClientTokenId",
    "MissingAuthenticationTokenException",
    "ExpiredTokenException",
}


def translated(error: ClientError | BotoCoreError, endpoint: str) -> CrowdError:
    """The error of ours that says whether trying again can help."""
    if isinstance(error, ParamValidationError):
        return CrowdNever(f"The call is not one that the crowd knows: {error}", "Look at what was asked.")
    if not isinstance(error, ClientError):
        return CrowdLater(
            f"The crowd at {endpoint} does not answer: {error}.", "It is tried again by itself."
        )
    said = error.response.get("Error", {})
    code, message = said.get("Code", ""), said.get("Message", "")
    detail = str(error.response.get("TurkErrorCode") or said.get("TurkErrorCode") or "")
    status = int(error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0))
    words = f"{code} {detail}: {message}".replace(" :", ":")
    if "alreadyexists" in f"{code}{detail}".lower() or "already been processed" in message.lower():
        found = re.search(r"\b[A-Z0-9]{20,64}\b", message)
        return CrowdAlready(words, found.group(0) if found else "")
    if "insufficientfunds" in f"{code}{detail}".lower():
        return CrowdMoney(words, "Put money on the crowd's account, then run the same command again.")
    if code in CONFIGURATION:
        return CrowdConfiguration(words, "Check the crowd's endpoint and keys (docs/settings.md).")
    if code in {"ThrottlingException", "RequestLimitExceeded"}:
        return CrowdThrottled(words, "Calls are made more slowly for a while; it is tried again by itself.")
    if status >= 500 or code == "ServiceFault":
        return CrowdLater(words, "It is tried again by itself.")
    return CrowdNever(words, "Look at what was asked; the same call will be refused again.")
