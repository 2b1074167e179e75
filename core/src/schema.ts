/** `@svc/core/schema`: a TypeBox schema for every shape that crosses a boundary, and the check of a value against one. */
export * from './contracts/index.ts'
export * from './validate.ts'
