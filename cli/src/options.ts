/** What options say, by their long names in camel case: a text, several, or a switch. */
export type Options = Record<string, string | string[] | boolean>
