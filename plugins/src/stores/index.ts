export { DATA_FILE } from '@svc/core/config'
export { chooseAuditDir, type Persist, personalAuditDir, spaceOf } from './data-place.ts'
export { PostgresStore, type PostgresStoreSettings } from './postgres/postgres-store.ts'
export { SqliteStore, type SqliteStoreSettings } from './sqlite/sqlite-store.ts'
