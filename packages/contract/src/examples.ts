/**
 * Examples of calls and events, for the API reference and its tests. An example that is missing here is made from the schema: the required
 * fields, with the stand-ins below for values known by their type. Not for the web app.
 */

/**
 * Values that stand in examples for what only a server knows: ids and tokens that it made, and the people of a small
 * team. Somebody who tries an example replaces them with what their own server answered before.
 */
export const STAND_INS = {
  adminId: '019aab00-0000-7000-8000-000000000001',
  adminLogin: 'camille@example.org',
  userId: '019aab00-0000-7000-8000-000000000002',
  login: 'nadia@example.org',
  password: 'correct horse',
  token: 'rT4x5V0mH2b8Qe1kZ9aLw6uYc3sNfJdP7gXoIiKtUvM',
  sessionId: '019aab00-0000-7000-8000-000000000003',
  channelId: '019aab00-0000-7000-8000-000000000004',
  channelName: 'Nord',
  room: 'Nord',
  messageId: '019aab00-0000-7000-8000-000000000005',
  clientId: '0d5f3f1e-9a55-4c39-8a9e-2f6f0f9f7c11',
  guestLinkId: '019aab00-0000-7000-8000-000000000006',
  guestLinkToken: 'Gq2w8E4r6T0yU1iO3pA5sD7fH9jKlZxCvBnMqWeRtYu',
  callId: '019aab00-0000-7000-8000-000000000008',
  importId: '019aab00-0000-7000-8000-000000000007',
  socketId: 'Xb7Qm2pLzT0aAAAB',
  stay: '1.kV3nQ8sYw1ZrT6uPc0LxHg',
} as const;

const { userId, login, password, channelId, channelName, messageId, clientId, guestLinkToken, socketId } = STAND_INS;

/** A picture of one pixel, as PNG. */
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGO44KoPAAMtAUXeS0r3AAAAAElFTkSuQmCC';
const SDP = 'v=0\r\no=- 4611731400430051336 2 IN IP4 127.0.0.1\r\ns=-\r\nt=0 0\r\n…';

/** Payloads by the exported name of the call; for a call with a file, its other fields. */
export const CALL_EXAMPLES: Readonly<Record<string, object>> = {
  logIn: { user_email: login, user_password: password, remember: true },
  // The guide uses this one with `logIn` and `createChannel`, unchanged, for its way from nothing to a channel.
  signUpUser: { firstName: 'Nadia', lastName: 'Benali', email: login, password, phone_number: '' },
  isValidToken: { token: STAND_INS.token },
  endSession: { sessionId: STAND_INS.sessionId },
  updateUserMicState: { micState: true, channelName },
  createGuestLink: { channelId, name: 'Pompiers de Lyon', hours: 8 },
  getInvitation: { token: guestLinkToken },
  enterAsGuest: { token: guestLinkToken, name: 'Julie' },
  getAllUsers: { start: 0, limit: 25, sort: 'lastName', order: 'asc', filter: 'a' },
  updateUserData: { id: userId, firstName: 'Nadia', lastName: 'Benali', pseudo: 'nad', mapRight: true },
  changeUsers: { userIds: [userId], change: { type: 'addToChannels', channelIds: [channelId] } },
  uploadUserPhoto: { userId, photo_url: `data:image/png;base64,${PIXEL}` },
  createChannel: { channelName, talkMode: 'single', userList: [userId] },
  updateChannel: { channelId, channelName: 'Nord-Ouest', talkMode: 'open', addUsers: [userId] },
  updateUserChannels: { channelId, userList: [userId] },
  updateChannelUsers: { userId, channelList: [channelId] },
  updateUserChannelsByChannelName: { userIdentifier: login, channelNames: channelName },
  removeUserChannels: { userIdentifier: login },
  getChannelMessages: { channelId, limit: 50 },
  searchMessages: { channelId, text: 'camion' },
  sendMessage: { channelId, message: 'Le camion est devant.', clientId },
  uploadFile: { channelId, textMsg: 'Vu du toit' },
  deleteMessage: { msgId: messageId },
  markMessagesRead: { channelId, from: 1, to: 1 },
  updateUserPosition: { lat: 45.764, lng: 4.8357, accuracy: 12 },
  createMultipleUsers: {
    userData: [
      {
        firstName: 'Léo',
        lastName: 'Roux',
        identifier: 'leo@example.org',
        pseudo: 'leo',
        password,
        mapRight: 'vrai',
        canal: channelName,
      },
    ],
  },
  createMultipleChannels: { channelData: [{ name: 'Sud' }, { name: 'Est' }] },
  checkImport: { identifiers: [login, 'leo@example.org'], channelNames: [channelName, 'Nrod'] },
  getImport: { importId: STAND_INS.importId },
  cancelImport: { importId: STAND_INS.importId },
  getDashboard: { timeZone: 'Europe/Paris' },
  getAllActivities: { start: 0, limit: 21, scope: 'all' },
  getSentInvitation: { aUserId: STAND_INS.adminId },
  getInvitationList: { idUser: STAND_INS.adminId },
  getFriendList: { idUser: STAND_INS.adminId },
  getUserCallEvents: { userId: STAND_INS.adminId },
  getDeviceByMacAddress: { macAddress: '02:00:5e:10:00:07' },
  exportActivities: { scope: 'all', format: 'csv', timeZone: 'Europe/Paris' },
};

/** Payloads by the name of the event that a client sends. */
export const EVENT_EXAMPLES: Readonly<Record<string, object>> = {
  join_room: { room: STAND_INS.room },
  offer: { sdp: { type: 'offer', sdp: SDP }, offerReceiveID: socketId, link: 'k3v9' },
  answer: { sdp: { type: 'answer', sdp: SDP }, answerReceiveID: socketId, link: 'k3v9' },
  candidate: {
    candidate: { candidate: 'candidate:1 1 udp 2113937151 192.0.2.7 54321 typ host', sdpMid: '0', sdpMLineIndex: 0 },
    candidateReceiveID: socketId,
    link: 'k3v9',
  },
  floor_request: { seq: 1, queue: true },
  floor_renew: { seq: 1 },
  floor_release: { seq: 2 },
  beat: { version: 7 },
  talks_since: { stay: STAND_INS.stay, version: 7 },
  micStateChange: { micState: true },
  message: { message: 'Le camion est devant.', clientId },
  call_signal: { callId: STAND_INS.callId, link: 'k3v9', signal: { type: 'offer', sdp: SDP } },
  position_update: { lat: 45.764, lng: 4.8357, accuracy: 12 },
};

/** Events whose example works only after the example of another event. */
export const EXAMPLES_AFTER: Readonly<Record<string, string>> = {
  call_signal: 'call_accept',
  call_resume: 'call_accept',
};

/** The file that an example of a call with one sends: a picture of one pixel. */
export const EXAMPLE_FILE = { name: 'pixel.png', type: 'image/png', base64: PIXEL } as const;
