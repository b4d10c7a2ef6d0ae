"""zae-limiter as a contestant: the same orders and answers, one JSON object to a line, as src/processes/client-main.ts."""

import asyncio
import json
import os
import sys
import time
import warnings

import zae_limiter.repository as repository_module
from aiobotocore.config import AioConfig
from zae_limiter import Limit, RateLimiter, RateLimitExceeded, Repository

warnings.filterwarnings("ignore")

AMPLE = {"capacity": 1_000_000, "refill_amount": 1_000_000, "refill_period_seconds": 1}
DRAINED = {"capacity": 1, "refill_amount": 1, "refill_period_seconds": 3_600}
RESOURCE = "api"
PARENT = "project"
MAX_SAMPLES = 200_000
TOUCHES_AT_ONCE = 16


def with_many_connections(get_session):
    """Its client has ten connections unless told otherwise; as many as callers are what the others get."""

    def session():
        made = get_session()
        made.set_default_client_config(AioConfig(max_pool_connections=1_024))
        return made

    return session


repository_module.get_session = with_many_connections(repository_module.get_session)


class Counter:
    """Counts requests and the capacity that they consumed, which the library does not ask for."""

    def __init__(self, client):
        self.requests = 0
        self.read_units = 0.0
        self.write_units = 0.0
        events = client.meta.events
        for operation in ("UpdateItem", "GetItem", "BatchGetItem", "TransactWriteItems", "PutItem", "Query"):
            events.register(f"before-parameter-build.dynamodb.{operation}", self.ask)
        events.register("after-call.dynamodb", self.count)

    def ask(self, params, **_):
        params.setdefault("ReturnConsumedCapacity", "TOTAL")

    def count(self, parsed, model, **_):
        self.requests += 1
        is_read = model.name in ("GetItem", "BatchGetItem", "Query")
        consumed = parsed.get("ConsumedCapacity", [])
        units = sum(each.get("CapacityUnits", 0) for each in (consumed if isinstance(consumed, list) else [consumed]))
        if parsed.get("Error", {}).get("Code") == "ConditionalCheckFailedException":
            units = 1
        if is_read:
            self.read_units += units
        else:
            self.write_units += units

    def snapshot(self):
        return self.requests, self.read_units, self.write_units


class Contestant:
    def __init__(self, world):
        self.world = world
        self.case = world["caseName"]
        self.keys = world["keys"]

    async def open(self):
        world = self.world
        os.environ["AWS_ACCESS_KEY_ID"] = world["credentials"]["accessKeyId"]
        os.environ["AWS_SECRET_ACCESS_KEY"] = world["credentials"]["secretAccessKey"]
        where = {"region": world["region"], "endpoint_url": world["endpoint"]}
        builder = Repository(world["table"], _skip_deprecation_warning=True, **where)
        await builder.create_table()
        await builder.close()
        self.repository = await Repository.open("default", stack=world["table"], auto_update=False, **where)
        self.limiter = RateLimiter(repository=self.repository)
        limit = DRAINED if self.case == "exhausted" else AMPLE
        self.amounts = {"requests": 1, "tokens": 1} if self.case == "two-limits" else {"requests": 1}
        limits = [Limit.custom(name, **limit) for name in self.amounts]
        await self.repository.set_resource_defaults(RESOURCE, limits)
        await self.repository.create_entity(PARENT)
        place = {"parent_id": PARENT, "cascade": True} if self.case == "cascade" else {}
        for key in range(self.keys):
            await self.repository.create_entity(f"key-{key}", **place)
        self.counter = Counter(await self.repository._get_client())

    async def take(self, key):
        if self.case == "available":
            await self.limiter.available(f"key-{key}", RESOURCE)
            return True
        try:
            async with self.limiter.acquire(f"key-{key}", RESOURCE, self.amounts):
                return True
        except RateLimitExceeded:
            return False

    async def touch_all(self):
        for first in range(0, self.keys, TOUCHES_AT_ONCE):
            await asyncio.gather(*(self.take(key) for key in range(first, min(first + TOUCHES_AT_ONCE, self.keys))))
        if self.case == "available":
            async with self.limiter.acquire("key-0", RESOURCE, self.amounts):
                pass

    async def run(self, callers, duration_ms):
        keys_each = max(1, self.keys // callers)
        samples = []
        state = {"calls": 0, "admitted": 0, "last": -1, "inversions": 0}
        before = self.counter.snapshot()
        cpu_before = time.process_time()
        started = time.perf_counter()
        until = started + duration_ms / 1_000

        async def caller(index):
            first = index * keys_each % self.keys
            called = time.perf_counter()
            turn = 0
            while called < until:
                place = state["calls"]
                state["calls"] += 1
                if await self.take(first + turn % keys_each):
                    state["admitted"] += 1
                    if place < state["last"]:
                        state["inversions"] += 1
                    state["last"] = place
                answered = time.perf_counter()
                if len(samples) < MAX_SAMPLES:
                    samples.append(answered - called)
                called = answered
                turn += 1
                if turn % 128 == 0:
                    await asyncio.sleep(0)

        await asyncio.gather(*(caller(index) for index in range(callers)))
        elapsed = time.perf_counter() - started
        cpu = time.process_time() - cpu_before
        requests, read_units, write_units = (b - a for a, b in zip(before, self.counter.snapshot(), strict=True))
        samples.sort()
        return {
            "calls": state["calls"],
            "admitted": state["admitted"],
            "elapsedMs": elapsed * 1_000,
            "cpuUs": cpu * 1_000_000,
            "p50Ms": samples[max(0, -(-len(samples) * 50 // 100) - 1)] * 1_000,
            "p99Ms": samples[max(0, -(-len(samples) * 99 // 100) - 1)] * 1_000,
            "requests": requests,
            "readUnits": read_units,
            "writeUnits": write_units,
            "inversions": state["inversions"],
        }


async def main():
    contestant = None
    loop = asyncio.get_running_loop()
    while line := await loop.run_in_executor(None, sys.stdin.readline):
        order = json.loads(line)
        try:
            if order["op"] == "prepare":
                contestant = Contestant(order["world"])
                await contestant.open()
                await contestant.touch_all()
                answer = {"kind": "done"}
            elif order["op"] == "run":
                answer = {"kind": "measured", "measurement": await contestant.run(order["callers"], order["durationMs"])}
            else:
                await contestant.repository.close()
                answer = {"kind": "done"}
        except Exception as error:  # whatever it is, the bench says it and goes on without
            answer = {"kind": "failed", "message": f"{type(error).__name__}: {error}"}
        print(json.dumps(answer), flush=True)


asyncio.run(main())
