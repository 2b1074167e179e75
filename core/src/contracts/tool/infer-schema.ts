import type { Static } from 'typebox'

/** What a schema stands for that checked a value: of a Standard Schema its output, of TypeBox and JSON Schema the value itself. */
export type SchemaOutput<Schema> = Schema extends { readonly '~standard': { readonly types?: infer Types } }
  ? NonNullable<Types> extends { readonly output: infer Output }
    ? Output
    : unknown
  : Schema extends object
    ? Static<Schema>
    : unknown

/** What such a schema is handed: of a Standard Schema its input. */
export type SchemaInput<Schema> = Schema extends { readonly '~standard': { readonly types?: infer Types } }
  ? NonNullable<Types> extends { readonly input: infer Input }
    ? Input
    : unknown
  : SchemaOutput<Schema>
