// What k6 has beside the language and @types/k6 does not say.
declare function setTimeout(callback: () => void, delayMs: number): number;
declare function clearTimeout(timer: number): void;
