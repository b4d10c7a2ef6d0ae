/** Where the user's own name goes in the request that the bench repeats. */
export const USER_PLACE = 'USER-OF-K6';
