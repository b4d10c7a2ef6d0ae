"""Starts the emulator with the overlay in place; ends it, and all that it started, when its parent is gone.

The parent keeps a pipe to our standard input open. However the parent ends, the system closes that pipe: reading then
comes to an end, our folder is deleted, and the whole process group (the server, and the Node processes that run functions)
is killed.
"""

import os
import shutil
import signal
import sys
import threading

from overlay import alarms, clusters, functions, leading_keys, policy_variables, stream_mappings, tables


def end_with_parent():
    """Waits for the end of standard input, which comes with the end of the parent."""
    while sys.stdin.buffer.read(4096):
        pass
    shutil.rmtree(os.environ["EMULATOR_FOLDER"], ignore_errors=True)
    os.killpg(os.getpgrp(), signal.SIGKILL)


def stay_off_port_443(app):
    """Under TLS MiniStack also takes port 443, if it may, for clients of Cognito. Nobody here is one."""
    app._port_is_bindable = lambda host, port: False


def main():
    if os.getpgrp() != os.getpid():
        sys.exit("the emulator ends its process group, so it must have one of its own")
    threading.Thread(target=end_with_parent, daemon=True).start()
    for part in (tables, functions, clusters, alarms, stream_mappings, leading_keys, policy_variables):
        part.apply()
    from ministack import app

    stay_off_port_443(app)
    sys.argv = ["ministack"]
    app.main()


if __name__ == "__main__":
    main()
