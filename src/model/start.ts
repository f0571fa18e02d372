/** The number of seconds after which a client should repeat a request to a server that is still starting. */
export const RETRY_AFTER_SECONDS = 5;
