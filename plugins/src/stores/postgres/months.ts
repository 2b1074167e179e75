/** Runs of November 2026 have the numbers from 202611 times this on; those of before there were partitions have lower ones. */
const OF_A_MONTH = 10_000_000_000

/** Year and month of a run's number, such as 202611; 0 for those of before. */
export const monthOf = (run: number): number => Math.floor(run / OF_A_MONTH)

/** SQL: year and month of a time in milliseconds. */
export const monthAt = (time: string): string =>
  `to_char(to_timestamp(${time} / 1000.0) AT TIME ZONE 'UTC', 'YYYYMM')::bigint`

/** SQL: the month after. */
export const monthAfter = (month: string): string => `${month} + CASE ${month} % 100 WHEN 12 THEN 89 ELSE 1 END`

/** SQL: the number of a new run. What the sequence counts is never the same twice, whatever the month. */
export const newNumber = (time: string): string =>
  `${monthAt(time)} * ${OF_A_MONTH} + nextval('run_numbers') % ${OF_A_MONTH}`

/** SQL: whether the number of a run is one of a month. */
export const isOfMonth = (run: string, month: string): string =>
  `${run} >= ${month} * ${OF_A_MONTH} AND ${run} < (${month} + 1) * ${OF_A_MONTH}`

/** Tables that have a partition for each month. */
export const TABLES = ['run_log', 'run_texts'] as const

/** SQL that makes a partition, or attaches what is one. Attached afterwards it waits for nobody who reads or writes. */
export const addPartition = (table: string, month: number): string =>
  `CREATE TABLE IF NOT EXISTS svc.${table}_${month} (LIKE svc.${table} INCLUDING DEFAULTS);
   ALTER TABLE svc.${table} ATTACH PARTITION svc.${table}_${month}
     FOR VALUES FROM (${month * OF_A_MONTH}) TO (${(month + 1) * OF_A_MONTH});`

const KEYS = { run_log: 'run, log_end', run_texts: 'run, number' } as const

/**
 * SQL that makes tables to partitioned ones, in three transactions, of which none keeps others waiting for as long as their rows
 * are read: what there was becomes the partition of month 0.
 */
export const TO_PARTITIONS = {
  promise: TABLES.map(
    (table) => `ALTER TABLE svc.${table} ADD CONSTRAINT ${table}_is_old CHECK (${isOfMonth('run', '0')}) NOT VALID;`,
  ).join(' '),
  prove: TABLES.map((table) => `ALTER TABLE svc.${table} VALIDATE CONSTRAINT ${table}_is_old;`).join(' '),
  /** A process of the version before, which draws numbers without a month, draws those of this one from then on. */
  exchange: (month: number): string =>
    `${TABLES.map(
      (table) => `ALTER TABLE svc.${table} RENAME TO ${table}_0;
        ALTER INDEX svc.${table}_pkey RENAME TO ${table}_0_pkey;
        CREATE TABLE svc.${table} (LIKE svc.${table}_0 INCLUDING DEFAULTS, PRIMARY KEY (${KEYS[table]})) PARTITION BY RANGE (run);
        ${addPartition(table, 0)}
        ALTER TABLE svc.${table}_0 DROP CONSTRAINT ${table}_is_old;
        ${addPartition(table, month)}`,
    ).join(' ')}
     SELECT setval('svc.run_numbers', ${month} * ${OF_A_MONTH} + last_value % ${OF_A_MONTH}, is_called) FROM svc.run_numbers;`,
} as const
