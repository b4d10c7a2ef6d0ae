/** What the shell hears. The numbers are part of the interface: scripts test them. */
export const EXIT = {
  /** What was asked for was done. */
  ok: 0,
  /** Something is not as it must be: no such entity, one that is disabled, no access, no answer; for `doctor`, a check that failed. */
  failed: 1,
  /** `limits diff` found differences, or `limits plan --exit-code` changes to make; the usage ledger is not whole, or a seal is broken. */
  different: 2,
  /** The limits refused: `acquire` does not fit now, and will later. */
  refused: 3,
  /** What was typed can never work as things stand: nothing was written. (EX_USAGE of sysexits.h.) */
  usage: 64,
  // 97 to 99 are outcomes of `load`, whose package knows them.
  /** Interrupted with Ctrl-C: 128 and the number of the signal. */
  interrupted: 130,
} as const;

/** The table of `millrace help exit-codes`. */
export const EXIT_CODES = `Exit codes:
    0  what was asked for was done
    1  something is not as it must be: no such table, namespace or entity, an entity that is disabled
       (waiting does not help), access denied, no answer, a deletion that was not confirmed; for doctor:
       a check failed
    2  differences: limits diff found drift, or limits plan --exit-code found changes to make;
       usage verify found something missing, usage repair left something, or usage seal --check
       found a window that is not as it was sealed
    3  the limits refused: acquire does not fit now, and will later; the answer says when to try again
   64  what was typed can never work as things stand: an unknown option, a name or a limit that cannot
       be, a manifest with mistakes, no --yes where nobody can be asked; most before anything is sent,
       some after the table was read: more than the capacity, a limit or a bucket that is not there, a
       window that is not over; nothing was written
   97  load: a part of the load is missing: a worker was lost, killed or late, the results bucket refused,
       or the run was stopped; its figures are reported all the same
   98  load: the table is not exact: more was admitted than the limits allow, or its books differ from
       what callers counted
   99  load: a threshold failed
  130  interrupted with Ctrl-C; for load: a second time
`;
