const SECONDS_PER_DAY = 86_400;
const DAYS_PER_ERA = 146_097;
/** From the first of March of the year 0, where the count below begins, to the first of January of 1970. */
const DAYS_TO_1970 = 719_468;

const TEXT = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})Z$/;

/**
 * A moment as text that sorts as time does: `2027-01-15T08:00:00Z`, always 20 characters, in whole seconds. Keys hold it,
 * and keys are made where there is no ambient time, so the calendar is counted here: years begin in March, so that the day
 * that only leap years have is the last one.
 */
export function instantText(atMs: number): string {
  const totalSec = Math.floor(atMs / 1_000);
  const totalDays = Math.floor(totalSec / SECONDS_PER_DAY);
  const secOfDay = totalSec - totalDays * SECONDS_PER_DAY;
  const days = totalDays + DAYS_TO_1970;
  const era = Math.floor(days / DAYS_PER_ERA);
  const dayOfEra = days - era * DAYS_PER_ERA;
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1_460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const monthFromMarch = Math.floor((5 * dayOfYear + 2) / 153);
  const day = dayOfYear - Math.floor((153 * monthFromMarch + 2) / 5) + 1;
  const month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9;
  const year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0);
  const time = [secOfDay / 3_600, (secOfDay / 60) % 60, secOfDay % 60].map((part) => padded(Math.floor(part), 2)).join(':');
  return `${padded(year, 4)}-${padded(month, 2)}-${padded(day, 2)}T${time}Z`;
}

/** The moment that a text of {@link instantText} names, in milliseconds; undefined where it names none. */
export function instantMs(text: string): number | undefined {
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = (TEXT.exec(text) ?? []).slice(1).map(Number);
  const marchYear = month <= 2 ? year - 1 : year;
  const era = Math.floor(marchYear / 400);
  const yearOfEra = marchYear - era * 400;
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1;
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  const days = era * DAYS_PER_ERA + dayOfEra - DAYS_TO_1970;
  const atMs = (days * SECONDS_PER_DAY + hour * 3_600 + minute * 60 + second) * 1_000;
  // A text that is no moment, such as the 30th of February, is another one's.
  return instantText(atMs) === text ? atMs : undefined;
}

function padded(value: number, width: number): string {
  return String(value).padStart(width, '0');
}
