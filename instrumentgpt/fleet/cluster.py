"""Calls on the worker processes of a Dask cluster that runs already."""

from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from typing import Any, TypeVar

from instrumentgpt.errors import InstrumentGPTError, reason
from instrumentgpt.instruments.kept_verdicts import judging_version

CONNECT = 10.0  # s
INSTALL = "pip install 'distributed>=2026.3,<2027'"  # what the tests have passed with
Item = TypeVar("Item")
Result = TypeVar("Result")


class ClusterError(InstrumentGPTError, OSError):
    """A cluster that cannot be used, or that went away."""


def each_on(
    address: str, call: Callable[[Item], Result], items: Sequence[Item]
) -> Iterator[tuple[Item, Result | str]]:
    """Yield each of `items` with what `call` returns for it on a worker of the cluster, as it comes.

    A worker that dies costs nothing, others take over; what several died of is yielded with that sentence.
    Raises ClusterError.
    """
    try:
        distributed: Any = import_module("distributed")
    except ImportError:
        raise ClusterError(f"--scheduler needs the package distributed. Install it: {INSTALL}") from None
    try:
        distributed.comm.get_address_host_port(address)
        client = distributed.Client(address, timeout=CONNECT, set_as_default=False)
    except (OSError, ValueError) as error:
        raise ClusterError(
            f"No Dask scheduler answers at {address!r} ({reason(error)}). Give the address that "
            "`dask scheduler` printed, such as tcp://10.1.1.5:8786"
        ) from error
    with client:
        _check_workers(client, address)
        futures = {client.submit(call, item, pure=False): item for item in items}
        for future in distributed.as_completed(list(futures), loop=client.loop):
            item = futures.pop(future)
            try:
                yield item, future.result()
            except distributed.KilledWorker:
                yield item, "the workers that judged it died: it may be too large for their memory"
            except distributed.client.FutureCancelledError as error:
                raise ClusterError(
                    f"The scheduler at {address} went away. Start it and scan again: what was judged is kept"
                ) from error
            future.release()


def _check_workers(client: Any, address: str) -> None:
    try:
        versions = set(client.run(judging_version).values())
    except ImportError as error:
        raise ClusterError(
            f"The workers of {address} have no InstrumentGPT ({reason(error)}). Start them in its checkout"
        ) from error
    if not versions:
        raise ClusterError(f"{address} has no workers. Start some: dask worker {address} --nthreads 1")
    if versions != {judging_version()}:
        raise ClusterError(
            f"The workers of {address} run another version of InstrumentGPT. Give them this one"
        )
