const serving = (whose: string) => [
  `write a bucket of the ${whose} namespace`,
  `read a bucket of the ${whose} namespace`,
  `read the limits of the ${whose} namespace`,
];
const reading = (whose: string) => [
  ...serving(whose).slice(1),
  `query the usage of the ${whose} namespace`,
  `query the index of the ${whose} namespace`,
];
const recording = (whose: string) => [`record a usage event in the ${whose} namespace`];
const administering = (whose: string) => [
  ...serving(whose),
  ...recording(whose),
  `write the limits of the ${whose} namespace`,
  `put an entity into the ${whose} namespace`,
  `delete an entity of the ${whose} namespace`,
  `delete buckets of the ${whose} namespace`,
  ...reading(whose).slice(2),
];
const inBoth = (what: (whose: string) => readonly string[]) => [...what('own'), ...what('other')];
const FIND = 'find a namespace by its name';
const READ_BOTH = 'read both namespaces at once';
const WRITE_BOTH = 'write both namespaces at once';
const ALL_READ = [...inBoth(reading), FIND, READ_BOTH, 'list the namespaces', 'describe the table'];

/** What each grant allows of all that is tried, for all namespaces; whatever is not listed is denied. */
export const GRANTED = {
  acquire: [...inBoth(serving), FIND, READ_BOTH, WRITE_BOTH],
  recordUsage: inBoth(recording),
  read: ALL_READ,
  admin: [
    ...ALL_READ,
    ...inBoth(administering),
    ...inBoth((whose) => [`delete an audit event of the ${whose} namespace`]),
    WRITE_BOTH,
    ...['write the registry', 'delete from the registry', 'scan the table'],
  ],
} as const;

/** The same, of a grant that is fenced to one namespace. */
export const GRANTED_WITHIN = {
  acquire: [...serving('own'), FIND],
  recordUsage: recording('own'),
  read: [...reading('own'), FIND],
  admin: [...administering('own'), FIND],
} as const;

/** Lists as a test compares them: without repetition, in order. */
export const listed = (...lists: readonly (readonly string[])[]): readonly string[] => [...new Set(lists.flat())].sort();
