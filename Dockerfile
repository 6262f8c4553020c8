# The program, and the certificate authorities that it trusts: no shell, no user but its own.
# `make images` compiles the program and makes the base. PROGRAM is another one, such as that of a release; BASE any
# image of Debian with certificate authorities.
ARG BASE=localhost/frontdesk-debian
FROM ${BASE} AS base
RUN install -d -o 65534 -g 65534 -m 700 /var/lib/frontdesk

FROM scratch
COPY --from=base /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/
COPY --from=base --chown=65534:65534 /var/lib/frontdesk /var/lib/frontdesk
ARG PROGRAM=.frontdesk/images/frontdesk
COPY ${PROGRAM} /bin/frontdesk
USER 65534:65534
ENV FRONTDESK_LISTEN=:8080 FRONTDESK_PRIVATE_LISTEN=:9090
EXPOSE 8080 9090
HEALTHCHECK --interval=10s CMD ["/bin/frontdesk", "ready"]
ENTRYPOINT ["/bin/frontdesk"]
CMD ["serve"]
