/** What the shell hears besides the outcomes of runs. */
export const EXIT = {
  /** What was asked for was done; for a run: it passed. */
  ok: 0,
  /** It could not be made or judged; for `bench`: a goal was missed. */
  failed: 1,
  /** What was typed can never work: nothing was started. (EX_USAGE of sysexits.h, as of the rest of the command line.) */
  usage: 64,
  /** Ctrl-C a second time: nothing was waited for. */
  interrupted: 130,
} as const;

export const EXIT_CODES_USAGE = `Exit codes:
    0  passed, or done
    1  the run could not be made or judged: no k6, nobody at the endpoint, k6 broke down
   64  bad arguments; nothing was started
   97  a part of the load is missing: a worker was lost, killed or late, the results bucket refused, the run was stopped
   98  the table is not exact; said before anything else, whatever the thresholds say
   99  a threshold failed; a store that is gone for five seconds ends a local run with this
  130  Ctrl-C a second time
`;
