/** The version of every package of the house; a test holds it against package.json. */
export const VERSION = '0.1.0'
