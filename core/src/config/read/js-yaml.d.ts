/** The part of js-yaml that is used here; the package ships no types. */
declare module 'js-yaml' {
  export const CORE_SCHEMA: unknown
  export function load(text: string, options: { schema: unknown; filename: string; json?: boolean }): unknown
  export class YAMLException extends Error {
    readonly reason: string
    readonly mark?: { readonly line: number; readonly column: number }
  }
}
