/** The version of the package. Calls carry it in their User-Agent. */
export const version = "0.1.0";

export const userAgent = "frontdesk-client-typescript/" + version;
