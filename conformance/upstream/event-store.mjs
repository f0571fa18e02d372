// Keeps the events of a session in memory, so that a stream can be resumed.
export function createEventStore() {
  const events = [];
  return {
    async storeEvent(streamId, message) {
      events.push({ streamId, message });
      return String(events.length - 1);
    },
    async getStreamIdForEventId(eventId) {
      return events[Number(eventId)]?.streamId;
    },
    async replayEventsAfter(lastEventId, { send }) {
      const streamId = events[Number(lastEventId)]?.streamId ?? "";
      for (const [index, event] of events.entries()) {
        const isMessage = Object.keys(event.message).length > 0;
        if (index > Number(lastEventId) && event.streamId === streamId && isMessage)
          await send(String(index), event.message);
      }
      return streamId;
    },
  };
}
