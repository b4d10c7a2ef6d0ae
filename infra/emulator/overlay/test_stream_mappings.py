"""What becomes of a batch that fails, by the rules of the overlay: `python -m unittest overlay.test_stream_mappings`."""

import unittest
from unittest.mock import patch

from overlay import stream_mappings

RULES = {"FunctionResponseTypes": ["ReportBatchItemFailures"], "MaximumRetryAttempts": 2, "BisectBatchOnFunctionError": True}


def records(count):
    return [{"eventSourceARN": "stream", "dynamodb": {"SequenceNumber": str(number)}} for number in range(count)]


def numbers(batch):
    return [int(record["dynamodb"]["SequenceNumber"]) for record in batch]


class WorkedOff(unittest.TestCase):
    def work(self, run, count=4, **rules):
        """The batches that were handed over, and those that were given up."""
        handed, given_up = [], []

        def noted(batch):
            handed.append(numbers(batch))
            return run(numbers(batch))

        send = lambda mapping, function, rest, *_: given_up.append(numbers(rest))  # noqa: E731
        with patch.object(stream_mappings.lambda_svc, "_send_ddb_stream_failure_record", send), patch.object(
            stream_mappings.time, "sleep"
        ):
            stream_mappings._worked_off({**RULES, **rules}, {}, records(count), noted)
        return handed, given_up

    def test_a_batch_that_is_done_is_handed_over_once(self):
        self.assertEqual(self.work(lambda batch: {}), ([[0, 1, 2, 3]], []))

    def test_goes_on_from_the_first_record_that_failed(self):
        failing_once = iter([{"body": {"batchItemFailures": [{"itemIdentifier": "3"}, {"itemIdentifier": "2"}]}}])
        handed, given_up = self.work(lambda batch: next(failing_once, {}))
        self.assertEqual((handed, given_up), ([[0, 1, 2, 3], [2, 3]], []))

    def test_a_record_that_always_fails_is_given_up_alone(self):
        _, given_up = self.work(lambda batch: {"error": True} if 2 in batch else {}, count=8)
        self.assertEqual(given_up, [[2]])

    def test_without_halving_the_whole_batch_is_given_up_after_its_retries(self):
        handed, given_up = self.work(lambda batch: {"error": True}, BisectBatchOnFunctionError=False)
        self.assertEqual((len(handed), given_up), (3, [[0, 1, 2, 3]]))

    def test_a_name_that_is_none_of_the_batch_fails_all_of_it(self):
        strange = {"body": {"batchItemFailures": [{"itemIdentifier": "99"}]}}
        _, given_up = self.work(lambda batch: strange, count=1)
        self.assertEqual(given_up, [[0]])

    def test_named_failures_mean_nothing_to_a_mapping_that_does_not_ask_for_them(self):
        named = {"body": {"batchItemFailures": [{"itemIdentifier": "0"}]}}
        self.assertEqual(self.work(lambda batch: named, FunctionResponseTypes=[])[1], [])


if __name__ == "__main__":
    unittest.main()
