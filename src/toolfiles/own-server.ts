/** The name under which the gateway itself has tools. */
export const OWN_SERVER = "anygpt";
