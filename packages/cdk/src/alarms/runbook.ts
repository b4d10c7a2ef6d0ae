import { anchorOf } from './alarm-plan.js';

/** The page that has more, as whoever has the repository finds it. */
const PAGE = "docs/operations.md of Millrace's repository";

/** What an address begins with: a path leads nowhere from an e-mail, and is refused. */
export const WEB_ADDRESS = /^https?:\/\/[^\s/]/;
export const WEB_ADDRESS_WORDS = 'an address that begins with https:// or http://';

/** Where the runbook has more on one alarm: a link where its address is known, else the page and the heading in words. */
export function runbookPart(runbookUrl: string | undefined, heading: string): string {
  return runbookUrl === undefined ? `Runbook: ${PAGE}, under "${heading}".` : `Runbook: ${runbookUrl}#${anchorOf(heading)}`;
}

/** The whole runbook, in Markdown. */
export function runbookPage(runbookUrl: string | undefined): string {
  return runbookUrl === undefined ? PAGE : `[${runbookUrl}](${runbookUrl})`;
}
