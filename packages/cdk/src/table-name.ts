/** What DynamoDB takes as the name of a table. */
export const TABLE_NAME = /^[a-zA-Z0-9_.-]{3,255}$/;
export const TABLE_NAME_WORDS = '3 to 255 letters, digits, _, . or -';
