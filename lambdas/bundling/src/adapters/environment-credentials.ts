/**
 * Stands in for the SDK's search for credentials: Lambda puts them into the environment, and the other ten places
 * where they might be are a fifth of the bundle.
 */
export { fromEnv as defaultProvider } from '@aws-sdk/credential-provider-env';
