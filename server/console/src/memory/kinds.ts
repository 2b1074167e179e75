/** What sort of thing a record may say. */
export const KINDS = ['fact', 'event', 'procedure', 'summary', 'decision', 'lesson', 'preference'] as const
