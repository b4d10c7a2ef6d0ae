"""Judges every policy of CloudFormation templates offline: `python lint_policies.py <template> …`.

An intrinsic function stands for something that is known at deployment; here an ARN of the right kind stands for it, so
that the linter can tell whether an action is one, and whether it fits its resource. Findings are printed; any is a failure.
"""

import json
import sys
import warnings

warnings.filterwarnings("ignore")

from parliament import analyze_policy_string  # noqa: E402

PLACE = "us-east-1:123456789012"
ARNS = {
    "AWS::DynamoDB::Table": f"arn:aws:dynamodb:{PLACE}:table/t",
    "AWS::DynamoDB::GlobalTable": f"arn:aws:dynamodb:{PLACE}:table/t",
    "AWS::SQS::Queue": f"arn:aws:sqs:{PLACE}:q",
    "AWS::SNS::Topic": f"arn:aws:sns:{PLACE}:t",
    "AWS::S3::Bucket": "arn:aws:s3:::b",
    "AWS::KMS::Key": f"arn:aws:kms:{PLACE}:key/00000000-0000-0000-0000-000000000000",
    "AWS::Lambda::Function": f"arn:aws:lambda:{PLACE}:function:f",
    "AWS::Logs::LogGroup": f"arn:aws:logs:{PLACE}:log-group:g:*",
    "AWS::Events::EventBus": f"arn:aws:events:{PLACE}:event-bus/e",
    "AWS::ECR::Repository": f"arn:aws:ecr:{PLACE}:repository/r",
    "AWS::IAM::Role": "arn:aws:iam::123456789012:role/r",
}
PSEUDO = {"AWS::Partition": "aws", "AWS::Region": "us-east-1", "AWS::AccountId": "123456789012", "AWS::URLSuffix": "amazonaws.com"}
POLICIES = ("AWS::IAM::Policy", "AWS::IAM::ManagedPolicy")


class Template:
    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            self.resources = json.load(file)["Resources"]

    def documents(self):
        """Each policy that says what somebody may do, with what to call it."""
        for name, resource in self.resources.items():
            properties = resource.get("Properties", {})
            if resource["Type"] in POLICIES:
                yield name, self.resolved(properties["PolicyDocument"])
            for policy in properties.get("Policies", []) if resource["Type"] == "AWS::IAM::Role" else []:
                yield name, self.resolved(policy["PolicyDocument"])

    def resolved(self, part):
        if isinstance(part, list):
            return [self.resolved(one) for one in part]
        if not isinstance(part, dict):
            return part
        if len(part) == 1:
            ((function, argument),) = part.items()
            if function == "Fn::GetAtt":
                return self.attribute(*argument)
            if function == "Ref":
                return PSEUDO.get(argument) or self.attribute(argument, "Arn")
            if function == "Fn::Join":
                return argument[0].join(str(self.resolved(one)) for one in argument[1])
            if function in ("Fn::GetStackOutput", "Fn::ImportValue"):
                return ARNS["AWS::KMS::Key"] if "Key" in json.dumps(argument) else ARNS["AWS::DynamoDB::Table"]
        return {key: self.resolved(value) for key, value in part.items()}

    def attribute(self, name, attribute):
        arn = ARNS.get(self.resources.get(name, {}).get("Type"), "*")
        return f"{arn}/stream/1" if attribute == "StreamArn" else arn


def main(paths):
    judged, findings = 0, 0
    for path in paths:
        for name, document in Template(path).documents():
            judged += 1
            for finding in analyze_policy_string(json.dumps(document)).findings:
                findings += 1
                print(f"{name}: {finding.issue} {finding.detail} {finding.location}")
    print(f"{judged} policies, {findings} findings")
    sys.exit(1 if findings or not judged else 0)


if __name__ == "__main__":
    main(sys.argv[1:])
