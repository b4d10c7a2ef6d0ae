"""Tables get the expiry, the recovery, the encryption and the protection that their templates say."""

from ministack.services import dynamodb

from overlay.provisioners import also


def apply():
    also("AWS::DynamoDB::Table", _settle)
    also("AWS::DynamoDB::GlobalTable", _settle)


def _settle(name, properties):
    # TableV2 says what a table has once, and what a replica has for each region. Here is one region.
    said = {**properties, **(properties.get("Replicas") or [{}])[0]}
    expiry = properties.get("TimeToLiveSpecification")
    if expiry:
        dynamodb._update_ttl({"TableName": name, "TimeToLiveSpecification": {**expiry, "Enabled": _is_true(expiry.get("Enabled"))}})
    recovery = said.get("PointInTimeRecoverySpecification")
    if recovery:
        enabled = _is_true(recovery.get("PointInTimeRecoveryEnabled"))
        specification = {**recovery, "PointInTimeRecoveryEnabled": enabled}
        dynamodb._update_continuous_backups({"TableName": name, "PointInTimeRecoverySpecification": specification})
    table = dynamodb._tables[name]
    table["DeletionProtectionEnabled"] = _is_true(said.get("DeletionProtectionEnabled"))
    encryption = {**(properties.get("SSESpecification") or {}), **(said.get("SSESpecification") or {})}
    if _is_true(encryption.get("SSEEnabled")):
        key = encryption.get("KMSMasterKeyId")
        table["SSEDescription"] = {"Status": "ENABLED", "SSEType": "KMS", **({"KMSMasterKeyArn": key} if key else {})}


def _is_true(value):
    """A template may say a truth as a text."""
    return str(value).lower() == "true"
