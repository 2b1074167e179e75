import type { Route } from '../routes/route.ts'

export type OpenApiDocument = Record<string, unknown>

export function createOpenApi(routes: readonly Route[]): OpenApiDocument {
  return {
    openapi: '3.1.0',
    info: { title: 'svc', version: '0.1.0' },
    paths: Object.fromEntries(routes.map(({ path }) => [path, {}])),
  }
}
