/** Zones of every kind that there is: rules of all continents, odd offsets, and clocks that jump over midnight. */
export const ZONES = [
  'UTC',
  'Europe/Berlin',
  'Europe/London',
  'Europe/Dublin', // where winter is the exception
  'Europe/Lisbon',
  'Europe/Kyiv',
  'Europe/Chisinau',
  'Europe/Istanbul',
  'Atlantic/Azores', // changes at midnight
  'Atlantic/Reykjavik',
  'America/New_York',
  'America/Chicago',
  'America/Denver',
  'America/Phoenix',
  'America/Los_Angeles',
  'America/Anchorage',
  'America/St_Johns', // half an hour
  'America/Havana', // has no midnight in spring, and two in autumn
  'America/Santiago', // the same, the other way round
  'America/Asuncion', // the same, until 2024
  'America/Sao_Paulo',
  'America/Nuuk',
  'America/Scoresbysund',
  'Africa/Cairo', // has no midnight on a Friday of April
  'Africa/Casablanca', // changes for Ramadan
  'Asia/Beirut', // has no midnight on a Sunday of March
  'Asia/Gaza',
  'Asia/Jerusalem',
  'Asia/Tehran',
  'Asia/Kolkata',
  'Asia/Kathmandu', // three quarters of an hour
  'Asia/Tokyo',
  'Asia/Shanghai',
  'Australia/Sydney',
  'Australia/Adelaide', // half an hour
  'Australia/Lord_Howe', // is changed by half an hour
  'Pacific/Auckland',
  'Pacific/Chatham', // three quarters of an hour
  'Pacific/Apia',
  'Pacific/Kiritimati', // fourteen hours ahead
  'Antarctica/Troll', // is changed by two hours
] as const;
