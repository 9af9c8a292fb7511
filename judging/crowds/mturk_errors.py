"""Translates the errors of MTurk's protocol into CrowdErrors, which show whether a retry can help.

docs/marketplace-protocol.md lists the codes that the built-in marketplace uses.
"""

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


def crowd_error(error: ClientError | BotoCoreError, endpoint: str) -> CrowdError:
    """Return the CrowdError for an error from boto3. Its class shows whether a retry can help."""
    if isinstance(error, ParamValidationError):
        return CrowdNever(f"The crowd's protocol does not allow this call: {error}", "Check the request.")
    if not isinstance(error, ClientError):
        return CrowdLater(
            f"The crowd at {endpoint} does not respond: {error}.", "The call is retried automatically."
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
        return CrowdMoney(words, "Add money to the crowd account, then run the same command again.")
    if code in CONFIGURATION:
        return CrowdConfiguration(words, "Check the crowd's endpoint and keys (docs/settings.md).")
    if code in {"ThrottlingException", "RequestLimitExceeded"}:
        return CrowdThrottled(words, "Calls are slower for a while. This one is retried automatically.")
    if status >= 500 or code == "ServiceFault":
        return CrowdLater(words, "The call is retried automatically.")
    return CrowdNever(words, "Check the request. The same call will be refused again.")
