/** When to ask again for what a server that is still starting offers. */
export const RETRY_AFTER_SECONDS = 5;
