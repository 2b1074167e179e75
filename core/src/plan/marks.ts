const MARK = /\{\{\s*([^{}\s]{1,200})\s*\}\}/g

/** The steps whose outputs an objective asks for by `{{step-1}}`. */
export const marksOf = (objective: string): string[] => [...objective.matchAll(MARK)].map(([, id = '']) => id)

/** Puts something else where an objective has a mark; `undefined` leaves the mark. */
export const replaceMarks = (objective: string, replacementOf: (id: string) => string | undefined): string =>
  objective.replace(MARK, (mark, id: string) => replacementOf(id) ?? mark)
