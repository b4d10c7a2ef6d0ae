"""What Lambda does when a function fails over records of a table's stream, and MiniStack does not.

A batch that fails, or whose first failed record the function names, is tried again from that record on; it is cut in half
if the mapping says so, which uses up no retry; when the retries are used up, or the records are too old, a message about
what was given up goes to the failure destination, and the stream goes on. MiniStack tries a failed batch for ever, and takes
a batch of which the function names failures for done. The rules are those of AWS's documentation, as we read it: a test
against them shows what our function does, not what AWS does.
"""

import time

from ministack.services import lambda_svc

FIRST_WAIT_SEC = 0.05
LONGEST_WAIT_SEC = 0.5


def apply():
    execute = lambda_svc._execute_function

    def executed(function, event):
        mapping = _mapping_of(function, event)
        if mapping is None or _retries(mapping) is None:
            return execute(function, event)
        return _worked_off(mapping, function, event["Records"], lambda batch: execute(function, {"Records": batch}))

    lambda_svc._execute_function = executed


def _mapping_of(function, event):
    records = event.get("Records") if isinstance(event, dict) else None
    if not isinstance(records, list) or not records or records[0].get("eventSource") != "aws:dynamodb":
        return None
    arn = (function.get("config") or function).get("FunctionArn")
    for _account, _region, mapping in lambda_svc._iter_all_esms():
        if mapping.get("EventSourceArn") == records[0].get("eventSourceARN") and mapping.get("FunctionArn") == arn:
            return mapping
    return None


def _retries(mapping):
    """How often a batch is tried again; None if for ever, which MiniStack does by itself."""
    wanted = mapping.get("MaximumRetryAttempts")
    return None if wanted in (None, "", -1, "-1") else int(wanted)


def _worked_off(mapping, function, records, run):
    log = []
    work = [(records, 0)]
    while work:
        batch, tries = work.pop(0)
        result = run(batch)
        log.append(result.get("log", ""))
        first_failed = _first_failed(mapping, batch, result)
        if first_failed is None:
            continue
        rest = batch[first_failed:]
        given_up = _given_up(mapping, rest, tries)
        if given_up is not None:
            stream = records[0]["eventSourceARN"]
            lambda_svc._send_ddb_stream_failure_record(mapping, function, rest, stream, result, given_up)
        elif first_failed > 0:
            work.insert(0, (rest, tries))
        elif _says_yes(mapping.get("BisectBatchOnFunctionError")) and len(rest) > 1:
            half = len(rest) // 2
            work[:0] = [(rest[:half], tries), (rest[half:], tries)]
        else:
            time.sleep(min(FIRST_WAIT_SEC * (tries + 1), LONGEST_WAIT_SEC))
            work.insert(0, (rest, tries + 1))
    return {"body": {"batchItemFailures": []}, "log": "\n".join(log)}


def _first_failed(mapping, batch, result):
    """The index of the record to go on from, or None when the batch is done."""
    if result.get("error") or result.get("throttle"):
        return 0
    if "ReportBatchItemFailures" not in (mapping.get("FunctionResponseTypes") or []):
        return None
    body = result.get("body")
    failures = body.get("batchItemFailures") if isinstance(body, dict) else None
    if not failures:
        return None
    named = {failure.get("itemIdentifier") for failure in failures}
    # A name that is none of the batch's makes the whole batch fail, as Lambda has it.
    return next((index for index, record in enumerate(batch) if record["dynamodb"].get("SequenceNumber") in named), 0)


def _given_up(mapping, rest, tries):
    """Why no further try is made, in Lambda's words; None if one is."""
    longest_sec = int(mapping.get("MaximumRecordAgeInSeconds") or -1)
    oldest = min(float(record["dynamodb"].get("ApproximateCreationDateTime", time.time())) for record in rest)
    if longest_sec > 0 and time.time() - oldest > longest_sec:
        return "MaxRecordAgeExceeded"
    return "RetryAttemptsExhausted" if tries >= _retries(mapping) else None


def _says_yes(value):
    return str(value).lower() == "true"
