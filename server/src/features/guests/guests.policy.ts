/** A guest link opens a room as long as its maker is an administrator (GUEST5). */
export const mayHaveLinks = (maker: { role: 'admin' | 'member' }): boolean => maker.role === 'admin';
