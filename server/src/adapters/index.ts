import type { Route } from '../routes/route.ts'

/** The routes of the protocols of others, which `server.adapters` switches off one by one. */
export const ADAPTER_ROUTES: readonly Route[] = []
