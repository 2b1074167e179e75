/**
 * What finds runs by pieces of three letters of their words, up to the run in `run_indexed`: see `word-index.ts`. The pieces
 * of a run that is removed are overwritten; each then costs a page, so pages are small.
 */
export const WORD_TABLES = `
  CREATE VIRTUAL TABLE run_grams USING fts5(
    words, content='', detail=none, columnsize=0, tokenize='trigram case_sensitive 1'
  );
  INSERT INTO run_grams (run_grams, rank) VALUES ('secure-delete', 1), ('pgsz', 480);
  CREATE VIRTUAL TABLE run_grams_said USING fts5vocab(run_grams, instance);
  CREATE TABLE run_indexed (run INTEGER NOT NULL);
  INSERT INTO run_indexed VALUES (0);`

/** Makes them anew, whatever is left of them. FTS5 cannot remove a table that it cannot open: its row in the schema goes by hand. */
export const RENEW_WORD_TABLES = `
  PRAGMA writable_schema=ON;
  DELETE FROM sqlite_schema WHERE name IN ('run_grams', 'run_grams_said');
  PRAGMA writable_schema=RESET;
  DROP TABLE IF EXISTS run_grams_data;
  DROP TABLE IF EXISTS run_grams_idx;
  DROP TABLE IF EXISTS run_grams_config;
  DROP TABLE IF EXISTS run_indexed;
${WORD_TABLES}`
