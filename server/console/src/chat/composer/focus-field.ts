/** Goes on in the field in which the next message is written. */
export const focusField = (): void => document.querySelector<HTMLElement>('.chat-composer textarea')?.focus()
