/**
 * `@svc/core/schema`: a TypeBox schema for every shape that crosses a boundary, the check of a value against one, and of what
 * parameters of a tool may be.
 */
export * from './contracts/index.ts'
export { findParametersError } from './runtime/json-schema.ts'
export * from './validate.ts'
