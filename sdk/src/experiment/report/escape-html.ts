const SIGNS: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/** Text that stays text between tags and inside quoted attributes; what XML does not allow is left out. */
export const escapeHtml = (text: string): string =>
  text
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must go
    .replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '')
    .replaceAll(/[&<>"']/g, (sign) => SIGNS[sign] ?? '')
