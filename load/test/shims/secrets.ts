/** k6's secrets: a run in Node has none. */
const secrets = { get: (key: string): Promise<string> => Promise.reject(new Error(`there is no secret "${key}"`)) };

// biome-ignore lint/style/noDefaultExport: k6's modules have one
export default secrets;
