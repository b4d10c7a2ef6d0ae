"""Functions get the reserved concurrency of their templates. Stock MiniStack drops it."""

from ministack.services import lambda_svc

from overlay.provisioners import also


def apply():
    also("AWS::Lambda::Function", _reserve)


def _reserve(name, properties):
    function = lambda_svc._functions.get(name)
    if function is None:
        return
    wanted = properties.get("ReservedConcurrentExecutions")
    function["concurrency"] = None if wanted is None else int(wanted)
