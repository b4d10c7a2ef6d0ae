"""The condition key `dynamodb:LeadingKeys`, by which policies fence a namespace, and which MiniStack does not know.

It holds the partition keys that a request names: those of the table, or of the index that a Query reads. A Scan names
none, so the key is absent there. Each item of a transaction is judged by itself, by the one key that it has.
"""

import json
import re

from ministack.core import iam_actions, iam_evaluator
from ministack.services import dynamodb

KEY = "dynamodb:LeadingKeys"


class KeyedArn(str):
    """The ARN of a table, with the partition key of the one item of a transaction that is judged."""

    leading_key = None


def apply():
    context_of, checks_of, enforce = iam_actions.dynamodb_service_context, iam_actions.dynamodb_transaction_checks, iam_evaluator.enforce

    def context(body):
        keys = _keys_of(_read(body))
        return {**context_of(body), **({KEY: keys} if keys else {})}

    def checks(iam_action, body, region, account_id):
        found = checks_of(iam_action, body, region, account_id)
        return [_keyed(check, item) for check, item in zip(found, _read(body).get("TransactItems") or [])]

    def enforced(access_key_id, iam_action, service, region, resource_arn="*", service_context=None):
        if isinstance(resource_arn, KeyedArn):
            service_context = {**(service_context or {}), KEY: [resource_arn.leading_key]}
        return enforce(access_key_id, iam_action, service, region, resource_arn=resource_arn, service_context=service_context)

    iam_actions.dynamodb_service_context = context
    iam_actions.dynamodb_transaction_checks = checks
    iam_evaluator.enforce = enforced


def _read(body):
    try:
        request = json.loads(body or b"{}")
    except ValueError:
        return {}
    return request if isinstance(request, dict) else {}


def _keyed(check, item):
    action, arn = check
    keyed = KeyedArn(arn)
    (detail,) = item.values()
    keyed.leading_key = _value(detail.get("Key") or detail.get("Item") or {}, _partition_attribute(detail))
    return action, keyed


def _keys_of(request):
    """The partition keys of a request for one item, of a batch, or of a Query."""
    if "TransactItems" in request:
        return []
    if "RequestItems" in request:
        return [key for table, wanted in request["RequestItems"].items() for key in _batch_keys(table, wanted)]
    item = request.get("Key") or request.get("Item")
    if item:
        return [_value(item, _partition_attribute(request))]
    return [key for key in [_queried(request)] if key is not None]


def _batch_keys(table, wanted):
    attribute = _partition_attribute({"TableName": table})
    if isinstance(wanted, dict):
        return [_value(key, attribute) for key in wanted.get("Keys", [])]
    writes = [write.get("PutRequest", {}).get("Item") or write.get("DeleteRequest", {}).get("Key") for write in wanted]
    return [_value(write or {}, attribute) for write in writes]


def _queried(request):
    """The partition key in `PK = :v` of a Query, whatever names and values stand for it."""
    condition, attribute = request.get("KeyConditionExpression"), _partition_attribute(request)
    if not condition or attribute is None:
        return None
    names, values = request.get("ExpressionAttributeNames") or {}, request.get("ExpressionAttributeValues") or {}
    for name, value in re.findall(r"([#\w.-]+)\s*=\s*(:\w+)", condition):
        if names.get(name, name) == attribute:
            return next(iter(values.get(value, {}).values()), None)
    return None


def _partition_attribute(request):
    table = dynamodb._tables.get(str(request.get("TableName", "")).rsplit("/", 1)[-1])
    if table is None:
        return None
    index = next((found for found in table["GlobalSecondaryIndexes"] or [] if found["IndexName"] == request.get("IndexName")), None)
    schema = (index or table)["KeySchema"]
    return next(part["AttributeName"] for part in schema if part["KeyType"] == "HASH")


def _value(item, attribute):
    """The plain text of a key; where there is none, a text that no policy allows by accident."""
    return next(iter((item.get(attribute) or {"S": ""}).values()))
